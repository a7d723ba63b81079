import type { RunId } from "../core/machine/run-state.ts";
import type { FleetBoard, FleetGlance, ListedRuns } from "../runs/fleet-board.ts";
import { seenAccounts } from "../stores/postgres/accounts.ts";
import { batchedPoll } from "../stores/postgres/batched-poll.ts";
import { type Pulse, placedSummaries, pulsesOf } from "../stores/postgres/board-rows.ts";
import { queuedRuns } from "../stores/postgres/queued-runs.ts";
import { listSchedules } from "../stores/postgres/schedules.ts";
import type { OpenFleet } from "./open.ts";
import { resumeInFleet } from "./resume.ts";
import { submit, USUAL_PLACEMENT } from "./submit.ts";

/** A fleet for who watches it. */
export function boardOf(fleet: OpenFleet): FleetBoard {
  const { database, store } = fleet;
  const pulse = batchedPoll((ids: readonly RunId[]) => pulsesOf(database, ids), String, LOOKS);
  /** Number of the last event that was copied. */
  const copied = new Map<RunId, number>();

  const glance = async (id: RunId): Promise<FleetGlance | null> => {
    const now = await pulse(id);
    if (now === null) return null;
    if (now.seq !== copied.get(id)) {
      // Whoever asks for its files gets the copy of its log with what has come since.
      await store.artifacts(id);
      copied.set(id, now.seq);
    }
    return { ...now, signature: signatureOf(now) };
  };
  return {
    runs: fleet,
    list: async ({ statuses, words, after, limit }): Promise<ListedRuns> => {
      const wanted = { statuses, words, after: placeOf(after), limit: limit + 1 };
      const found = await placedSummaries(database, wanted);
      const runs = found.slice(0, limit);
      const last = runs.at(-1);
      const isMore = found.length > limit && last !== undefined;
      return { runs, next: isMore ? `${last.startedAt ?? ""} ${last.id}` : null };
    },
    glance,
    machines: () => fleet.machines(),
    accounts: () => seenAccounts(database),
    schedules: () => listSchedules(database),
    queues: () => queuedRuns(database),
    submit: ({ workflow, input, simulate, ...wanted }, caller) => {
      const { pool = USUAL_PLACEMENT.pool, account = null, budgetMicroUsd } = wanted;
      const placement = { ...USUAL_PLACEMENT, pool, account };
      const settings = budgetMicroUsd === undefined ? {} : { budgetMicroUsd };
      // What a run begins with is configured where its workflow lies, and not in the fleet.
      const here = { ...caller, fleet: undefined };
      return submit({ workflow, input, simulate, settings, placement }, fleet, here);
    },
    resume: (wanted, caller) => resumeInFleet(wanted, fleet, caller),
    forget: async (id) => {
      copied.delete(id);
      await fleet.forget(id);
    },
  };
}

/** At most so often, ms; a database that is away is not asked at each of them. */
const LOOKS = { everyMs: 250, restMs: 1_000 };

function signatureOf({ holder, seq, ...seen }: Pulse): string {
  // What it tells last comes behind its last save.
  return JSON.stringify([seen, holder?.pid, holder?.startedAt, holder === null ? seq : null]);
}

/** The run behind which a page begins, as the page before has said it; null for what is none. */
function placeOf(after: string | null): readonly [startedAt: string, id: RunId] | null {
  const [startedAt, id] = after?.split(" ") ?? [];
  return startedAt === undefined || id === undefined ? null : [startedAt, id];
}
