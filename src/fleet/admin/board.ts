import type { FleetBoard, FleetGlance, ListedRuns } from "../../inspect/fleet-board.ts";
import type { RunId } from "../../machine/run-state.ts";
import { listAccounts } from "../queue/accounts.ts";
import { queuedRuns } from "../queue/queued-runs.ts";
import { listSchedules } from "../queue/schedules/schedules.ts";
import { DEFAULT_PLACEMENT, submit } from "../queue/submit.ts";
import { batcher } from "../store/batcher.ts";
import { placedSummaries, type RunPulse, runPulses } from "../store/rows/board-rows.ts";
import { resumeInFleet } from "../worker/resume.ts";
import type { OpenFleet } from "./open.ts";

/** A fleet for who watches it. */
export function boardOf(fleet: OpenFleet): FleetBoard {
  const { database, store } = fleet;
  const pulse = batcher((ids: readonly RunId[]) => runPulses(database, ids), { pause: POLL });
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
    accounts: () => listAccounts(database),
    schedules: () => listSchedules(database),
    queues: () => queuedRuns(database),
    submit: ({ workflow, input, simulate, ...wanted }, caller) => {
      const { pool = DEFAULT_PLACEMENT.pool, account = null, budgetMicroUsd } = wanted;
      const placement = { ...DEFAULT_PLACEMENT, pool, account };
      const settings = budgetMicroUsd === undefined ? {} : { budgetMicroUsd };
      // What a run begins with is configured where its workflow lies, and not in the fleet.
      const here = { ...caller, fleet: undefined };
      return submit({ workflow, input, simulate, settings, placement }, fleet, here);
    },
    resume: (wanted, caller) => resumeInFleet(wanted, fleet, caller),
    forget: async (id) => {
      copied.delete(id);
      await fleet.evict(id);
    },
  };
}

const POLL = { everyMs: 250, afterFailureMs: 1_000 };

function signatureOf({ holder, seq, ...seen }: RunPulse): string {
  // What it tells last comes behind its last save.
  return JSON.stringify([seen, holder?.pid, holder?.startedAt, holder === null ? seq : null]);
}

/** The run behind which a page begins, as the page before has said it; null for what is none. */
function placeOf(after: string | null): readonly [startedAt: string, id: RunId] | null {
  const [startedAt, id] = after?.split(" ") ?? [];
  return startedAt === undefined || id === undefined ? null : [startedAt, id];
}
