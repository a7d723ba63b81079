import type { FleetAccount, FleetMachine, FleetQueue } from "../../inspect/fleet-board.ts";
import { listMachines } from "../lease/machines.ts";
import { listAccounts } from "../queue/accounts.ts";
import { queuedRuns } from "../queue/queued-runs.ts";
import { listSchedules } from "../queue/schedules/schedules.ts";
import type { Queries } from "../store/database.ts";
import { EXPECTED } from "../store/rows/placed-runs.ts";
import type { OpenFleet } from "./open.ts";

export interface FleetOverview {
  /** The URL of its database, without the password. */
  readonly shown: string;
  readonly machines: readonly FleetMachine[];
  /** By status, as in `raymond list`. */
  readonly runs: ReadonlyMap<string, number>;
  readonly queues: readonly FleetQueue[];
  readonly accounts: readonly FleetAccount[];
  /** Active schedules, the next one first. */
  readonly due: readonly { readonly name: string; readonly next: Date }[];
  /** Number of paused schedules. */
  readonly paused: number;
}

export async function overview({
  database,
  shown,
}: Pick<OpenFleet, "database" | "shown">): Promise<FleetOverview> {
  const [machines, runs, queues, accounts, known] = await Promise.all([
    listMachines(database),
    runCounts(database),
    queuedRuns(database),
    listAccounts(database),
    listSchedules(database),
  ]);
  const due = known.filter(({ paused }) => !paused);
  return {
    ...{ shown, machines, runs, queues, accounts },
    due: due.toSorted((a, b) => a.next.getTime() - b.next.getTime()),
    paused: known.length - due.length,
  };
}

async function runCounts(on: Queries): Promise<ReadonlyMap<string, number>> {
  const rows = await on.query<{ readonly status: string; readonly runs: number }>(COUNTS);
  return new Map(rows.map(({ status, runs }) => [status, runs]));
}

const COUNTS = `
WITH living AS MATERIALIZED (SELECT h.id FROM raymond.holders h WHERE raymond.is_alive(h))
SELECT CASE WHEN r.holder IN (SELECT id FROM living) THEN r.status
            WHEN ${EXPECTED} THEN 'queued'
            WHEN r.status IN ('running', 'waiting') THEN 'crashed'
            ELSE r.status END AS status, count(*)::integer AS runs
  FROM raymond.runs r WHERE r.state IS NOT NULL GROUP BY 1 ORDER BY 1`;
