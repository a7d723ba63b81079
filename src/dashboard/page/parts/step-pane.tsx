import { useMemo } from "preact/hooks";
import { formatContext } from "../../../core/tokens.ts";
import { decodeEvent } from "../../../observers/event-json.ts";
import type { StepJson } from "../../api.ts";
import { useHeadingFocus } from "../navigation.ts";
import { shownText } from "../shown-text.ts";
import { agentOf, type StepBook } from "../step-book.ts";
import { stepRow } from "../step-row.ts";
import { type Piece, piecesOf } from "../step-text.ts";
import { toldLines } from "../told-lines.ts";
import type { Kept } from "../use-server.ts";
import { Problem } from "./problem.tsx";

interface Props {
  readonly number: number;
  readonly detail: Kept<StepJson>;
  readonly book: StepBook;
  /** The address of the run, to which closing leads. */
  readonly up: string;
  /** The run is one of a fleet: what is not in its event log lies on another machine. */
  readonly isElsewhere: boolean;
  readonly now: number;
}

/** One step: what it was told, what it has said and done as it happens, and what came of it. */
export function StepPane({ number, detail: kept, book, up, isElsewhere, now }: Props) {
  const { value: detail, problem } = kept;
  const heading = useHeadingFocus();
  const known = book.steps.get(number) ?? detail;
  const doing = known === null ? undefined : book.doing.get(agentOf(known.started) ?? "");
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
          problem === null && <p class="empty">Reading …</p>
        ) : (
          <>
            {isElsewhere && detail.files.length === 0 && (
              <p class="dim">
                This is what the event log has. The prompt and longer texts, where they were kept,
                lie on the machine that ran the step.
              </p>
            )}
            {detail.prompt !== null && (
              <details>
                <summary>What it was told</summary>
                <pre class="text scroll">{shownText(detail.prompt)}</pre>
              </details>
            )}
            <Did pieces={pieces} detail={detail} isRunning={known?.running === true} />
            <ul class="after">
              {(known ?? detail).after.flatMap(toldLines).map((line, at) => (
                <li
                  key={at}
                  class={line.tone === "error" ? "bad" : line.tone === "warning" ? "warn" : ""}
                >
                  {line.text}
                </li>
              ))}
            </ul>
            <Ends detail={detail} />
          </>
        )}
      </div>
    </section>
  );
}

function Did(props: {
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
        {out !== "" && <Said piece={{ kind: "stdout", seq: 1, text: shownText(out) }} />}
        {err !== "" && <Said piece={{ kind: "stderr", seq: 2, text: shownText(err) }} />}
        {out === "" && err === "" && <li class="dim">It has written nothing.</li>}
      </ol>
    );
  }
  return (
    <ol class="said" aria-live={isRunning ? "polite" : "off"}>
      {pieces.map((piece) => (
        <Said key={piece.seq} piece={piece} />
      ))}
      {pieces.length === 0 && (
        <li class="dim">{isRunning ? "It has said nothing yet." : "It has said nothing."}</li>
      )}
    </ol>
  );
}

function Said({ piece }: { readonly piece: Piece }) {
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

/** What it has used, and how its conversation is opened. */
function Ends({ detail }: { readonly detail: StepJson }) {
  const ended = detail.ended === null ? null : decodeEvent(detail.ended);
  const of = ended?.type === "step.ended" ? ended : null;
  const rows = [
    ["Model", of?.model ?? null],
    ["Context", of?.context == null ? null : formatContext(of.context)],
    [
      "Refused",
      of === null ? null : of.denials.map(({ tool, input }) => `${tool} ${input}`).join("\n"),
    ],
    ["Open it", detail.open],
  ] as const;
  const shown = rows.filter(([, text]) => text !== null && text !== "");
  if (shown.length === 0) return null;
  return (
    <dl class="facts">
      {shown.map(([name, text]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            {name === "Open it" ? <code>{shownText(text ?? "")}</code> : shownText(text ?? "")}
          </dd>
        </div>
      ))}
    </dl>
  );
}
