import type { Clock } from "../ports/clock.ts";
import type { ControlRequest } from "../ports/control-request.ts";
import { endCooldown } from "../stores/postgres/account-slots.ts";
import type { Database } from "../stores/postgres/database.ts";
import { moveRequests } from "../stores/postgres/moves.ts";
import type { RunsInHand } from "./runs-in-hand.ts";

/** Delivers control requests to the runs of this worker, each once, and interrupts runs that are to move. Never rejects. */
export async function keepHearing(of: {
  readonly database: Database;
  readonly inHand: RunsInHand;
  readonly clock: Clock;
  readonly everyMs: number;
  readonly until: AbortSignal;
}): Promise<void> {
  const { database, inHand, clock, everyMs, until } = of;
  while (!until.aborted) {
    const { ids } = inHand;
    if (ids.length > 0) {
      const taken = await database
        .query<{ id: string; run: string; wish: string }>(
          "DELETE FROM raymond.wishes WHERE run = ANY($1) RETURNING id, run, wish",
          [ids],
        )
        .catch(() => []);
      const inOrder = taken.toSorted((a, b) => Number(a.id) - Number(b.id));
      for (const { run, wish: text } of inOrder) {
        const wish = JSON.parse(text) as ControlRequest;
        // Its account would let nobody try.
        if ("retry" in wish) await endCooldown(database, run).catch(() => undefined);
        for (const one of inHand.of(run)) one.hear(wish);
      }
      for (const run of await moveRequests(database, ids).catch(() => [])) {
        for (const one of inHand.of(run)) one.interrupt();
      }
    }
    await clock.sleep(everyMs, until);
  }
}
