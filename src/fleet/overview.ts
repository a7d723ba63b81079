import type { FleetAccount, FleetMachine, FleetQueue } from "../runs/fleet-board.ts";
import { seenAccounts } from "../stores/postgres/accounts.ts";
import { seenMachines } from "../stores/postgres/machines.ts";
import { queuedRuns } from "../stores/postgres/queued-runs.ts";
import { runCounts } from "../stores/postgres/run-counts.ts";
import type { OpenFleet } from "./open.ts";
import { schedules } from "./schedules.ts";

/** A fleet on one page. */
export interface FleetOverview {
  /** Its database, for people. */
  readonly shown: string;
  readonly machines: readonly FleetMachine[];
  /** Runs of each status, as `raymond list` calls it. */
  readonly runs: ReadonlyMap<string, number>;
  /** Runs that nobody goes on with yet, by who may take them. */
  readonly queues: readonly FleetQueue[];
  readonly accounts: readonly FleetAccount[];
  /** Those that are not paused, the one that is due first at the head. */
  readonly due: readonly { readonly name: string; readonly next: Date }[];
  readonly paused: number;
}

/** How a fleet stands: all that it has in hand, and what waits. Reads only. */
export async function overview({
  database,
  shown,
}: Pick<OpenFleet, "database" | "shown">): Promise<FleetOverview> {
  const [machines, runs, queues, accounts, known] = await Promise.all([
    seenMachines(database),
    runCounts(database),
    queuedRuns(database),
    seenAccounts(database),
    schedules(database),
  ]);
  const due = known.filter(({ paused }) => !paused);
  return {
    ...{ shown, machines, runs, queues, accounts },
    due: due.toSorted((a, b) => a.next.getTime() - b.next.getTime()),
    paused: known.length - due.length,
  };
}
