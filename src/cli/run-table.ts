import { formatUsd } from "../core/money.ts";
import { distanceOf, localMoment, zoneName } from "../observers/local-time.ts";
import { printable } from "../observers/printable.ts";
import type { RunSummary } from "../ports/store.ts";
import type { Column } from "./table.ts";
import { pathFrom } from "./words.ts";

/** What the cells of a run depend on, beside the run. */
export interface TableView {
  readonly now: number;
  /** Workflows in this folder are shown as seen from here. */
  readonly cwd: string;
  /** What each run is called. */
  readonly names: ReadonlyMap<string, string>;
}

/** Behind the workflow of a simulated run. */
const SIMULATED = " (simulated)";

/** The columns of a table of runs: where there is no room, the steps go first, and the start last. */
export const RUN_COLUMNS: readonly Column[] = [
  { alignment: "left" },
  { alignment: "left" },
  { alignment: "right", expendable: 2 },
  { alignment: "right", expendable: 1 },
  { alignment: "left", expendable: 3 },
  { alignment: "left", least: 12, mark: SIMULATED },
];

/** The line over them; the times are local, and it says by which clock. */
export function runHeadings(now: number): readonly string[] {
  return ["run", "status", "cost", "steps", `started (${zoneName(now)})`, "workflow"];
}

/** The cells of one run. What a damaged file does not tell is a dash. */
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

/** Of a run that waits, until when. Of one that is held elsewhere nobody knows here how it stands: where it is held, and since when it is silent. */
function statusCell({ status, holder, waitsUntil, questions }: RunSummary, now: number): string {
  // A time until which an answer counts is no time at which anybody goes on.
  if (questions.length > 0 && (status === "waiting" || status === "paused")) {
    return `${status}, ${questions.every(({ answered }) => answered) ? "answered" : "asks"}`;
  }
  if ((status === "waiting" || status === "queued") && waitsUntil !== null) {
    return `${status} until ${localMoment(Date.parse(waitsUntil), now)}`;
  }
  if (status !== "held" || holder === null) return status;
  return `held on ${holder.host}, heard ${distanceOf(Date.parse(holder.heardAt), now)}`;
}
