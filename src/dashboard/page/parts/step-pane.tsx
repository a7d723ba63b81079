import { useMemo, useState } from "preact/hooks";
import { fileWords, formatChanges } from "../../../console/format/format-changes.ts";
import type { StepDetailJson } from "../../../inspect/json/shapes.ts";
import { formatContext } from "../../../language/basics/tokens.ts";
import { decodeEvent } from "../../../log/codec/event-json.ts";
import type { StepDiffJson } from "../../api.ts";
import { useHeadingFocus, useNow } from "../hooks/browser.ts";
import { useResource } from "../hooks/use-resource.ts";
import type { FollowedRun } from "../hooks/use-run.ts";
import {
  afterLines,
  stepAgent,
  stepBadge,
  stepCost,
  stepDuration,
  stringIn,
} from "../model/step.ts";
import { agentOf } from "../model/step-book.ts";
import { type Piece, piecesOf } from "../model/step-text.ts";
import { printRoute, type RunRoute } from "../route.ts";
import { Fact, Resource, StatusBadge } from "./basics.tsx";

interface Props {
  readonly run: FollowedRun;
  readonly number: number;
  /** The view of the run. */
  readonly up: RunRoute;
  /** Whether the files of the step are on another machine: the run belongs to a fleet. */
  readonly isElsewhere: boolean;
}

/** A step: its prompt, its live output and its result. */
export function StepPane({ run: { address, book, isOpen }, number, up, isElsewhere }: Props) {
  const now = useNow();
  const hasEnded = book.steps.get(number)?.ended != null;
  const path = isOpen ? `${address}/steps/${String(number)}` : null;
  const detail = useResource<StepDetailJson>(path, hasEnded ? 1 : 0);
  const heading = useHeadingFocus();
  const step = book.steps.get(number) ?? detail.value;
  const agent = (step && agentOf(step.started)) ?? "";
  const current = book.current.get(agent);
  const pieces = useMemo(
    () => (detail.value === null ? [] : piecesOf(detail.value, current)),
    [detail.value, current],
  );
  return (
    <section class="panel" aria-label={`Step ${String(number)}`}>
      <header>
        <a href={printRoute(up)} class="button">
          ← Back to the run
        </a>
        <h2 ref={heading} tabIndex={-1}>
          {step === null ? "Step" : stringIn(step.started, "state")}{" "}
          <span class="dim mono">#{number}</span>
        </h2>
        {step !== null && (
          <>
            <StatusBadge badge={stepBadge(step)} />
            <span class="dim number push">
              {[agent, stepAgent(step), stepDuration(step, now), stepCost(step)]
                .filter(Boolean)
                .join(" · ")}
            </span>
          </>
        )}
      </header>
      <div class="body">
        <Resource of={detail}>
          {(loaded) => {
            const { running, after } = step ?? loaded;
            return (
              <>
                <Detail {...{ detail: { ...loaded, running, after }, pieces, isElsewhere }} />
                <StepChanges detail={loaded} path={path} />
              </>
            );
          }}
        </Resource>
      </div>
    </section>
  );
}

interface DetailProps {
  readonly detail: StepDetailJson;
  readonly pieces: readonly Piece[];
  readonly isElsewhere: boolean;
}

function Detail({ detail, pieces, isElsewhere }: DetailProps) {
  return (
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
          <pre class="text scroll">{detail.prompt}</pre>
        </details>
      )}
      <Output pieces={pieces} detail={detail} />
      <ul class="after">
        {afterLines(detail).map(({ tone, text }, at) => (
          <li key={at} class={tone === "error" ? "bad" : tone === "warning" ? "warn" : ""}>
            {text}
          </li>
        ))}
      </ul>
      <StepFacts detail={detail} />
    </>
  );
}

/** Messages and tool calls, or the complete output of a script that has ended. */
function Output({ pieces, detail }: Omit<DetailProps, "isElsewhere">) {
  const { running, started } = detail;
  const outputs = (["stdout", "stderr"] as const).flatMap((kind, seq) => {
    return detail[kind] === "" ? [] : [{ kind, seq, text: detail[kind] }];
  });
  const shown = started["kind"] === "script" && !running ? outputs : pieces;
  return (
    <ol class="said" aria-live={running ? "polite" : "off"}>
      {shown.map((piece) => (
        <PieceItem key={piece.seq} piece={piece} />
      ))}
      {shown.length === 0 && <li class="dim">{running ? "No output yet." : "No output."}</li>}
    </ol>
  );
}

function PieceItem({ piece: { kind, text, tool } }: { readonly piece: Piece }) {
  switch (kind) {
    case "tool":
      return (
        <li class="tool">
          <b>{tool}</b> {text}
        </li>
      );
    case "notice":
      return <li class="dim">{text}</li>;
    case "stderr":
    case "stdout":
      return (
        <li class={kind}>
          <span class="dim">{kind}</span>
          <pre class="text">{text}</pre>
        </li>
      );
    case "message":
      return (
        <li>
          <p class="message">{text}</p>
        </li>
      );
  }
}

/** Model, context, denied tool calls, and the command that opens the conversation. */
function StepFacts({ detail: { ended, open } }: { readonly detail: StepDetailJson }) {
  const event = ended === null ? null : decodeEvent(ended);
  const end = event?.type === "step.ended" ? event : null;
  const denials = end?.denials ?? [];
  return (
    <dl class="facts">
      {end?.model != null && <Fact name="Model">{end.model}</Fact>}
      {end?.context != null && <Fact name="Context">{formatContext(end.context)}</Fact>}
      {denials.length > 0 && (
        <Fact name="Denied tool calls">
          {denials.map(({ tool, input }) => `${tool} ${input}`).join("\n")}
        </Fact>
      )}
      {open !== null && (
        <Fact name="Open conversation">
          <code>{open}</code>
        </Fact>
      )}
    </dl>
  );
}

interface ChangesProps {
  readonly detail: StepDetailJson;
  /** The address of the step; null: the run is gone. */
  readonly path: string | null;
}

/** The files that a step changed. Its diff is loaded on demand. */
function StepChanges({ detail: { ended, changes }, path }: ChangesProps) {
  const [isOpen, setOpen] = useState(false);
  const event = ended === null ? null : decodeEvent(ended);
  const figures = event?.type === "step.ended" ? event.changes : undefined;
  if (figures === undefined || figures.files === 0) return null;
  return (
    <details
      onToggle={({ currentTarget }) => {
        setOpen(currentTarget.open);
      }}
    >
      <summary>Changes: {formatChanges(figures)}</summary>
      {figures.shared === true && (
        <p class="dim">Steps that ran at the same time in this folder are included.</p>
      )}
      <ul class="mono">
        {(changes ?? []).slice(0, MOST_FILES).map((change) => (
          <li key={change.file}>{fileWords(change)}</li>
        ))}
      </ul>
      {isOpen && <Diff path={path} />}
    </details>
  );
}

const MOST_FILES = 200;

function Diff({ path }: Pick<ChangesProps, "path">) {
  const diff = useResource<StepDiffJson>(path === null ? null : `${path}/diff`, 0);
  return (
    <Resource of={diff}>
      {({ text, cut }) => (
        <>
          <pre class="text scroll">{text}</pre>
          {cut && <p class="dim">The diff is longer: raymond diff shows all of it.</p>}
        </>
      )}
    </Resource>
  );
}
