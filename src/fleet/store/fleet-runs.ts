import { eventLog, lastSeq } from "../../log/event-log.ts";
import { LOCAL, type RunQueue, type RunSource } from "../../wire/run-source.ts";
import { heldAtHome } from "../lease/held-at-home.ts";
import { stepsHeldUp } from "../lease/held-up.ts";
import { heldInQueue } from "../queue/queued.ts";
import type { Database } from "./database.ts";
import { eventWriter } from "./event-writer.ts";
import { journalRows } from "./journal.ts";
import { answerPoll, answerRows } from "./rows/answers.ts";
import { eventTable, lastKept, type PrintEvent } from "./rows/event-table.ts";
import { expectedRuns } from "./rows/placed-runs.ts";
import { sizesOf } from "./rows/sizes.ts";
import type { PostgresStore } from "./store.ts";

export interface FleetRunsOptions {
  readonly print: PrintEvent;
  readonly queue: Pick<RunQueue, "withdraw" | "startNow" | "requeue">;
  /** Also write events into the log files of this machine. */
  readonly logFiles: boolean;
}

/** The runs of a fleet. */
export function fleetRuns<S extends PostgresStore>(
  database: Database,
  store: S,
  { print, queue, logFiles }: FleetRunsOptions,
): S & RunSource {
  const writer = eventWriter(database);
  const poll = answerPoll(database);
  return {
    ...store,
    ...LOCAL,
    inProject: false,
    openJournal: (id) => Promise.resolve({ ...store.journal(id), close: () => undefined }),
    journalText: (id) => journalRows(database, id),
    answers: (id, warn) => Promise.resolve(answerRows(database, id, poll, warn)),
    eventWriter: async (id, clock, warn) => {
      const table = eventTable(writer, id, print, clock, warn);
      if (!logFiles) return table;
      const file = eventLog((await store.artifacts(id)).events, clock, warn);
      return {
        notify: (event, run, seq) => {
          file.notify(event, run, seq);
          table.notify(event, run, seq);
        },
        close: async () => {
          await Promise.all([file.close?.(), table.close?.()]);
        },
      };
    },
    lastEvent: async (id) => {
      const kept = await lastKept(database, id);
      return logFiles ? Math.max(kept, lastSeq((await store.artifacts(id)).events)) : kept;
    },
    sendRequest: async (id, _holder, request) => {
      const [row] = await database.query<{ id: number }>(
        "INSERT INTO raymond.control_requests (run, request) VALUES ($1, $2) RETURNING id",
        [id, JSON.stringify(request)],
      );
      return async () => {
        await database.query("DELETE FROM raymond.control_requests WHERE id = $1", [row?.id]);
      };
    },
    sizes: (ids) => sizesOf(database, ids),
    epoch: (id) => store.epoch(id),
    queue: {
      ...queue,
      expected: () => expectedRuns(database),
      waitReasons: async (id) => [
        ...(await heldInQueue(database, id)),
        ...(await heldAtHome(database, id)),
        ...(await stepsHeldUp(database, id)),
      ],
    },
    lostAdvice: null,
  };
}
