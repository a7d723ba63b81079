import { distanceOf, localMoment, zoneName } from "../../console/local-time.ts";
import type { RunSummary } from "../../engine/ports/store.ts";
import { formatUsd } from "../../language/basics/money.ts";
import { printable } from "../../log/printable.ts";
import type { Column } from "./table.ts";
import { pathFrom } from "./words.ts";

export interface TableView {
  readonly now: number;
  /** Workflows are shown relative to this folder. */
  readonly cwd: string;
  readonly names: ReadonlyMap<string, string>;
}

const SIMULATED = " (simulated)";

/** If the table is too wide, steps are dropped first, then the cost and the start. */
export const RUN_COLUMNS: readonly Column[] = [
  { alignment: "left" },
  { alignment: "left" },
  { alignment: "right", expendable: 2 },
  { alignment: "right", expendable: 1 },
  { alignment: "left", expendable: 3 },
  { alignment: "left", least: 12, mark: SIMULATED },
];

export function runHeadings(now: number): readonly string[] {
  return ["run", "status", "cost", "steps", `started (${zoneName(now)})`, "workflow"];
}

/** The cells of one run. Unknown values of a damaged file are dashes. */
export function runCells(run: RunSummary, { now, cwd, names }: TableView): readonly string[] {
  const { costMicroUsd, steps, startedAt, workflow } = run;
  const cells = [
    names.get(run.id) ?? run.id,
    statusCell(run, now),
    costMicroUsd === null ? "–" : formatUsd(costMicroUsd),
    steps === null ? "–" : String(steps),
    startedAt === null ? "–" : localMoment(Date.parse(startedAt), now),
    workflow === null
      ? "–"
      : `${pathFrom(cwd, workflow)}${run.simulated === true ? SIMULATED : ""}`,
  ];
  return cells.map(printable);
}

/** The status; of a waiting run its end, of a run that is locked elsewhere its host and its last sign of life. */
function statusCell({ status, holder, waitsUntil, questions }: RunSummary, now: number): string {
  // The deadline of an answer is not the time at which the run continues.
  if (questions.length > 0 && (status === "waiting" || status === "paused")) {
    return `${status}, ${questions.every(({ answered }) => answered) ? "answered" : "asks"}`;
  }
  if ((status === "waiting" || status === "queued") && waitsUntil !== null) {
    return `${status} until ${localMoment(Date.parse(waitsUntil), now)}`;
  }
  if (status !== "held" || holder === null) return status;
  return `held on ${holder.host}, last activity ${distanceOf(Date.parse(holder.lastSeenAt), now)}`;
}
