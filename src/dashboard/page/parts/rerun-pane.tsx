import { useState } from "preact/hooks";
import { counted } from "../../../core/counted.ts";
import {
  countedFrom,
  type DepartureJson,
  departureHead,
  departureLines,
  figureRows,
  headOf,
  stateRows,
} from "../../../runs/json/runs-diff-words.ts";
import type { DiffJson, StepJson } from "../../api.ts";
import { textLines } from "../changed-text.ts";
import { printRoute, runRoute } from "../route.ts";
import { addressOf } from "../server.ts";
import { shownText } from "../shown-text.ts";
import { stepRow } from "../step-row.ts";
import { type Kept, useServer } from "../use-server.ts";
import { Problem } from "./problem.tsx";

interface Props {
  /** As the server calls the state folder: both runs are in it. */
  readonly folder: string;
  readonly diff: Kept<DiffJson>;
  readonly now: number;
}

/** What a rerun has changed beside the run that it comes from, in the words of `raymond diff-runs`. */
export function RerunPane({ folder, diff: { value: diff, problem }, now }: Props) {
  const [most, setMost] = useState(AT_ONCE);
  const from = diff === null ? null : countedFrom(diff);
  const more = (diff?.departures.length ?? 0) - most;
  return (
    <div class="body changes">
      <h2>What the rerun changed</h2>
      {problem !== null && <Problem problem={problem} />}
      {diff === null && problem === null && <p class="empty">Reading …</p>}
      {diff !== null && (
        <>
          <p>{shownText(headOf(diff))}</p>
          {from !== null && <p class="dim">{shownText(from)}</p>}
          {diff.departures.slice(0, most).map((departure) => (
            <Departure key={departure.agent} {...{ departure, diff, folder, now }} />
          ))}
          {more > 0 && (
            <button
              type="button"
              onClick={() => {
                setMost(most + AT_ONCE);
              }}
            >
              Show {counted(Math.min(more, AT_ONCE), "more agent")}
            </button>
          )}
          <Figures rows={figureRows(diff)} />
          <Figures rows={stateRows(diff)} />
          {diff.other_results.length > 0 && (
            <p>
              Other results: {shownText(diff.other_results.slice(0, MOST_RESULTS).join(", "))}
              {diff.other_results.length > MOST_RESULTS && " …"}
            </p>
          )}
        </>
      )}
    </div>
  );
}

/** So many agents are drawn, and as many more for each press. */
const AT_ONCE = 20;
const MOST_RESULTS = 8;

interface DepartureProps {
  readonly departure: DepartureJson;
  readonly diff: DiffJson;
  readonly folder: string;
  readonly now: number;
}

function Departure({ departure, diff, folder, now }: DepartureProps) {
  const [isOpen, setOpen] = useState(false);
  const { left, right } = departure;
  const sides = [
    { run: diff.left.workflow_id, step: left?.step ?? null },
    { run: diff.right.workflow_id, step: right?.step ?? null },
  ] as const;
  return (
    <section aria-label={shownText(departure.agent)}>
      <h3>{shownText(departureHead(departure))}</h3>
      <DiffText lines={departureLines(departure)} />
      <details
        onToggle={(event) => {
          setOpen(event.currentTarget.open);
        }}
      >
        <summary>What was said there</summary>
        {isOpen && <Texts {...{ sides, folder, now }} />}
      </details>
    </section>
  );
}

interface Side {
  readonly run: string;
  readonly step: number | null;
}

/** The two steps: how each ended, what it cost, and where their texts differ. */
function Texts(props: {
  readonly sides: readonly [Side, Side];
  readonly folder: string;
  readonly now: number;
}) {
  const { sides, folder, now } = props;
  const left = useServer<StepJson>(addressOfStep(folder, sides[0]), 0);
  const right = useServer<StepJson>(addressOfStep(folder, sides[1]), 0);
  const all = [
    { ...sides[0], sign: "-", kept: left },
    { ...sides[1], sign: "+", kept: right },
  ];
  const isRead = all.every(({ step, kept }) => step === null || kept.value !== null);
  return (
    <>
      <ul>
        {all.map(({ run, step, sign, kept }) => (
          <li key={sign}>
            <span class="mono">{sign}</span> {stepLink({ folder, run, step })}
            <span class="dim"> {kept.value === null ? "" : endOf(kept.value, now)}</span>
            {kept.problem !== null && <Problem problem={kept.problem} />}
          </li>
        ))}
      </ul>
      {isRead && <DiffText lines={textLines(left.value, right.value)} />}
    </>
  );
}

function addressOfStep(folder: string, { run, step }: Side): string | null {
  return step === null ? null : `${addressOf(folder, run)}/steps/${String(step)}`;
}

function stepLink({ folder, run, step }: Side & { readonly folder: string }) {
  if (step === null) return `${shownText(run)}: nothing more`;
  return (
    <a href={printRoute(runRoute(folder, run, step))}>
      step {step} of {shownText(run)}
    </a>
  );
}

function endOf(step: StepJson, now: number): string {
  const { state, text, took, cost } = stepRow(step, undefined, now);
  return [state, text, took, cost].filter((words) => words !== "").join(" · ");
}

/** Lines of a diff: the sign says what the colour says. */
function DiffText({ lines }: { readonly lines: readonly string[] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: who has keys alone scrolls it.
    <pre class="text scroll" tabIndex={0}>
      {lines.map((line, at) => (
        <div key={at} class={line.startsWith("- ") ? "bad" : line.startsWith("+ ") ? "good" : ""}>
          {shownText(line)}
        </div>
      ))}
    </pre>
  );
}

function Figures({
  rows: [head = [], ...rows],
}: {
  readonly rows: readonly (readonly string[])[];
}) {
  return (
    <div class="wide">
      <table class="costs">
        <thead>
          <tr>
            {head.map((name, at) => (
              <th key={at} scope="col">
                {shownText(name)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((cells) => (
            <tr key={cells[0]}>
              {head.map((_, at) => (
                <td key={at}>{shownText(cells[at] ?? "")}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
