import type { Remote } from "../../ports/store.ts";
import { answerPoll, answerRows } from "./answers.ts";
import type { Database } from "./database.ts";
import { eventTable, lastKept, type PrintEvent } from "./event-table.ts";
import { eventWriter } from "./event-writer.ts";
import { heldAtHome } from "./held-at-home.ts";
import { stepsHeldUp } from "./held-up.ts";
import { journalRows } from "./journal.ts";
import { expectedRuns } from "./placed-runs.ts";
import { heldInQueue } from "./queued.ts";
import { sizesOf } from "./sizes.ts";
import type { PostgresStore } from "./store.ts";

/** What a fleet's store does for runs that other machines hold. `queue`: what becomes of a run in its queue. */
export function remoteOf(
  database: Database,
  store: PostgresStore,
  print: PrintEvent,
  queue: Pick<Remote, "withdraw" | "beginNow" | "requeue">,
): Remote {
  const writer = eventWriter(database);
  const poll = answerPoll(database);
  return {
    ...queue,
    heldUp: async (id) => [
      ...(await heldInQueue(database, id)),
      ...(await heldAtHome(database, id)),
      ...(await stepsHeldUp(database, id)),
    ],
    expected: () => expectedRuns(database),
    journal: (id) => store.journal(id),
    journalText: (id) => journalRows(database, id),
    answers: (id, warn) => answerRows(database, id, poll, warn),
    sendRequest: async (id, request) => {
      const [left] = await database.query<{ id: number }>(
        "INSERT INTO raymond.wishes (run, wish) VALUES ($1, $2) RETURNING id",
        [id, JSON.stringify(request)],
      );
      return async () => {
        await database.query("DELETE FROM raymond.wishes WHERE id = $1", [left?.id]);
      };
    },
    events: (id, clock, warn) => eventTable(writer, id, print, clock, warn),
    sizes: (ids) => sizesOf(database, ids),
    epoch: (id) => store.epoch(id),
    lastTold: (id) => lastKept(database, id),
  };
}
