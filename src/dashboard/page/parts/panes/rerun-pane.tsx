import { useState } from "preact/hooks";
import {
  countedFrom,
  type DivergenceJson,
  divergenceHead,
  divergenceLines,
  figureRows,
  headOf,
  stateRows,
} from "../../../../inspect/json/runs-diff-words.ts";
import { counted } from "../../../../language/basics/counted.ts";
import type { DiffJson, StepJson } from "../../../api.ts";
import { type Loaded, useResource } from "../../hooks/use-resource.ts";
import { printRoute, runRoute } from "../../route.ts";
import { textLines } from "../../rows/changed-text.ts";
import { shownText } from "../../rows/shown-text.ts";
import { stepRow } from "../../rows/step-row.ts";
import { addressOf } from "../../server.ts";
import { Problem } from "../problem.tsx";

interface Props {
  /** `FolderJson.folder` of both runs. */
  readonly folder: string;
  readonly diff: Loaded<DiffJson>;
  readonly now: number;
}

/** Differences between a rerun and its origin, as in `raymond diff-runs`. */
export function RerunPane({ folder, diff: { value: diff, problem }, now }: Props) {
  const [most, setMost] = useState(PAGE_AGENTS);
  const from = diff === null ? null : countedFrom(diff);
  const more = (diff?.departures.length ?? 0) - most;
  return (
    <div class="body changes">
      <h2>Changes since the original run</h2>
      {problem !== null && <Problem problem={problem} />}
      {diff === null && problem === null && <p class="empty">Loading …</p>}
      {diff !== null && (
        <>
          <p>{shownText(headOf(diff))}</p>
          {from !== null && <p class="dim">{shownText(from)}</p>}
          {diff.departures.slice(0, most).map((departure) => (
            <Divergence key={departure.agent} {...{ departure, diff, folder, now }} />
          ))}
          {more > 0 && (
            <button
              type="button"
              onClick={() => {
                setMost(most + PAGE_AGENTS);
              }}
            >
              Show {counted(Math.min(more, PAGE_AGENTS), "more agent")}
            </button>
          )}
          <Figures rows={figureRows(diff)} />
          <Figures rows={stateRows(diff)} />
          {diff.other_results.length > 0 && (
            <p>
              Other results: {shownText(diff.other_results.slice(0, MAX_RESULTS).join(", "))}
              {diff.other_results.length > MAX_RESULTS && " …"}
            </p>
          )}
        </>
      )}
    </div>
  );
}

/** Agents to show at first, and more with each click. */
const PAGE_AGENTS = 20;
const MAX_RESULTS = 8;

interface DepartureProps {
  readonly departure: DivergenceJson;
  readonly diff: DiffJson;
  readonly folder: string;
  readonly now: number;
}

function Divergence({ departure, diff, folder, now }: DepartureProps) {
  const [isOpen, setOpen] = useState(false);
  const { left, right } = departure;
  const sides = [
    { run: diff.left.workflow_id, step: left?.step ?? null },
    { run: diff.right.workflow_id, step: right?.step ?? null },
  ] as const;
  return (
    <section aria-label={shownText(departure.agent)}>
      <h3>{shownText(divergenceHead(departure))}</h3>
      <DiffText lines={divergenceLines(departure)} />
      <details
        onToggle={(event) => {
          setOpen(event.currentTarget.open);
        }}
      >
        <summary>Output of both steps</summary>
        {isOpen && <Texts {...{ sides, folder, now }} />}
      </details>
    </section>
  );
}

interface Side {
  readonly run: string;
  readonly step: number | null;
}

/** Outcome, cost and text diff of the two steps. */
function Texts(props: {
  readonly sides: readonly [Side, Side];
  readonly folder: string;
  readonly now: number;
}) {
  const { sides, folder, now } = props;
  const left = useResource<StepJson>(addressOfStep(folder, sides[0]), 0);
  const right = useResource<StepJson>(addressOfStep(folder, sides[1]), 0);
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
            <span class="dim"> {kept.value === null ? "" : outcomeOf(kept.value, now)}</span>
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
  if (step === null) return `${shownText(run)}: no further step`;
  return (
    <a href={printRoute(runRoute(folder, run, step))}>
      step {step} of {shownText(run)}
    </a>
  );
}

function outcomeOf(step: StepJson, now: number): string {
  const { state, text, took, cost } = stepRow(step, undefined, now);
  return [state, text, took, cost].filter((words) => words !== "").join(" · ");
}

/** Lines of a diff: colors repeat the signs. */
function DiffText({ lines }: { readonly lines: readonly string[] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable regions must be reachable by keyboard
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
