import { useMemo } from "preact/hooks";
import { formatContext } from "../../../../language/basics/tokens.ts";
import { decodeEvent } from "../../../../log/codec/event-json.ts";
import type { StepJson } from "../../../api.ts";
import type { Loaded } from "../../hooks/use-resource.ts";
import { useHeadingFocus } from "../../navigation.ts";
import { eventLines } from "../../rows/event-lines.ts";
import { shownText } from "../../rows/shown-text.ts";
import { agentOf, type StepBook } from "../../rows/step-book.ts";
import { stepRow } from "../../rows/step-row.ts";
import { type Piece, piecesOf } from "../../rows/step-text.ts";
import { Problem } from "../problem.tsx";

interface Props {
  readonly number: number;
  readonly detail: Loaded<StepJson>;
  readonly book: StepBook;
  /** The address of the run. */
  readonly up: string;
  /** Whether the files of the step are on another machine: the run belongs to a fleet. */
  readonly isElsewhere: boolean;
  readonly now: number;
}

/** A step: its prompt, its live output and its result. */
export function StepPane({ number, detail: kept, book, up, isElsewhere, now }: Props) {
  const { value: detail, problem } = kept;
  const heading = useHeadingFocus();
  const known = book.steps.get(number) ?? detail;
  const doing = known === null ? undefined : book.current.get(agentOf(known.started) ?? "");
  const pieces = useMemo(() => (detail === null ? [] : piecesOf(detail, doing)), [detail, doing]);
  const row = known === null ? null : stepRow(known, undefined, now);
  return (
    <section class="panel" aria-label={`Step ${String(number)}`}>
      <header>
        <a href={up} class="button">
          ← Back to the run
        </a>
        <h2 ref={heading} tabIndex={-1}>
          {row === null ? "Step" : row.state} <span class="dim mono">#{number}</span>
        </h2>
        {row !== null && (
          <span class={`status ${row.tone}`}>
            <span aria-hidden="true">{row.symbol}</span>
            {row.outcome}
          </span>
        )}
        {row !== null && (
          <span class="dim number push">
            {[row.agent, row.took, row.cost].filter((text) => text !== "").join(" · ")}
          </span>
        )}
      </header>
      <div class="body">
        {problem !== null && <Problem problem={problem} />}
        {detail === null ? (
          problem === null && <p class="empty">Loading …</p>
        ) : (
          <>
            {isElsewhere && detail.files.length === 0 && (
              <p class="dim">
                Only the event log is available here. The prompt and long messages are stored on the
                machine that ran the step.
              </p>
            )}
            {detail.prompt !== null && (
              <details>
                <summary>Prompt</summary>
                <pre class="text scroll">{shownText(detail.prompt)}</pre>
              </details>
            )}
            <Progress pieces={pieces} detail={detail} isRunning={known?.running === true} />
            <ul class="after">
              {(known ?? detail).after.flatMap(eventLines).map((line, at) => (
                <li
                  key={at}
                  class={line.tone === "error" ? "bad" : line.tone === "warning" ? "warn" : ""}
                >
                  {line.text}
                </li>
              ))}
            </ul>
            <StepFacts detail={detail} />
          </>
        )}
      </div>
    </section>
  );
}

function Progress(props: {
  readonly pieces: readonly Piece[];
  readonly detail: StepJson;
  readonly isRunning: boolean;
}) {
  const { pieces, detail, isRunning } = props;
  const [out, err] = [detail.stdout, detail.stderr];
  const isScript = detail.started["kind"] === "script" && !isRunning;
  if (isScript) {
    return (
      <ol class="said">
        {out !== "" && <PieceItem piece={{ kind: "stdout", seq: 1, text: shownText(out) }} />}
        {err !== "" && <PieceItem piece={{ kind: "stderr", seq: 2, text: shownText(err) }} />}
        {out === "" && err === "" && <li class="dim">No output.</li>}
      </ol>
    );
  }
  return (
    <ol class="said" aria-live={isRunning ? "polite" : "off"}>
      {pieces.map((piece) => (
        <PieceItem key={piece.seq} piece={piece} />
      ))}
      {pieces.length === 0 && <li class="dim">{isRunning ? "No output yet." : "No output."}</li>}
    </ol>
  );
}

function PieceItem({ piece }: { readonly piece: Piece }) {
  switch (piece.kind) {
    case "tool":
      return (
        <li class="tool">
          <b>{piece.tool}</b> {piece.text}
        </li>
      );
    case "notice":
      return <li class="dim">{piece.text}</li>;
    case "stderr":
    case "stdout":
      return (
        <li class={piece.kind}>
          <span class="dim">{piece.kind}</span>
          <pre class="text">{piece.text}</pre>
        </li>
      );
    case "message":
      return (
        <li>
          <p class="message">{piece.text}</p>
        </li>
      );
  }
}

/** Model, context, refused tool calls, and the command that opens the conversation. */
function StepFacts({ detail }: { readonly detail: StepJson }) {
  const ended = detail.ended === null ? null : decodeEvent(detail.ended);
  const of = ended?.type === "step.ended" ? ended : null;
  const rows = [
    ["Model", of?.model ?? null],
    ["Context", of?.context == null ? null : formatContext(of.context)],
    [
      "Denied tool calls",
      of === null ? null : of.denials.map(({ tool, input }) => `${tool} ${input}`).join("\n"),
    ],
    ["Open conversation", detail.open],
  ] as const;
  const shown = rows.filter(([, text]) => text !== null && text !== "");
  if (shown.length === 0) return null;
  return (
    <dl class="facts">
      {shown.map(([name, text]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            {name === "Open conversation" ? (
              <code>{shownText(text ?? "")}</code>
            ) : (
              shownText(text ?? "")
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}
