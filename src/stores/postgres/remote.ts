import type { Remote } from "../../ports/store.ts";
import { answerRows } from "./answers.ts";
import { beginsLater } from "./begins-later.ts";
import type { Database } from "./database.ts";
import { eventTable, lastKept, type PrintEvent } from "./event-table.ts";
import { eventWriter } from "./event-writer.ts";
import { heldAtHome } from "./held-at-home.ts";
import { heldUp } from "./held-up.ts";
import { journalRows } from "./journal.ts";
import { expectedRuns } from "./placed-runs.ts";
import { sizesOf } from "./sizes.ts";
import type { PostgresStore } from "./store.ts";

/** What a fleet's store does for runs that other machines hold. `withdraw`: takes a run out of its queue. */
export function remoteOf(
  database: Database,
  store: PostgresStore,
  print: PrintEvent,
  withdraw: Remote["withdraw"],
): Remote {
  const writer = eventWriter(database);
  return {
    withdraw,
    heldUp: async (id) => [
      ...(await beginsLater(database, id)),
      ...(await heldAtHome(database, id)),
      ...(await heldUp(database, id)),
    ],
    expected: () => expectedRuns(database),
    journal: (id) => store.journal(id),
    journalText: (id) => journalRows(database, id),
    answers: (id, warn) => answerRows(database, id, warn),
    leaveWish: async (id, wish) => {
      const [left] = await database.query<{ id: number }>(
        "INSERT INTO raymond.wishes (run, wish) VALUES ($1, $2) RETURNING id",
        [id, JSON.stringify(wish)],
      );
      return async () => {
        await database.query("DELETE FROM raymond.wishes WHERE id = $1", [left?.id]);
      };
    },
    events: (id, clock, warn) => eventTable(writer, id, print, clock, warn),
    sizes: (ids) => sizesOf(database, ids),
    lastTold: (id) => lastKept(database, id),
  };
}
