import type { FleetBoard, FleetGlance, ListedRuns } from "../../inspect/fleet-board.ts";
import type { RunId } from "../../machine/model/run-state.ts";
import { listAccounts } from "../queue/accounts.ts";
import { queuedRuns } from "../queue/queued-runs.ts";
import { listSchedules } from "../queue/schedules/schedules.ts";
import { DEFAULT_PLACEMENT, submit } from "../queue/submit.ts";
import { batcher } from "../store/batcher.ts";
import { placedSummaries, type RunPulse, runPulses } from "../store/rows/board-rows.ts";
import { resumeInFleet } from "../worker/resume.ts";
import type { OpenFleet } from "./open.ts";

export function boardOf(fleet: OpenFleet): FleetBoard {
  const { database, store } = fleet;
  const pulse = batcher((ids: readonly RunId[]) => runPulses(database, ids), { pause: POLL });
  /** Number of the last event that was copied. */
  const copied = new Map<RunId, number>();
  return {
    runs: fleet,
    list: async ({ statuses, words, after, limit }): Promise<ListedRuns> => {
      const wanted = { statuses, words, after: positionOf(after), limit: limit + 1 };
      const found = await placedSummaries(database, wanted);
      const runs = found.slice(0, limit);
      const last = runs.at(-1);
      const isMore = found.length > limit && last !== undefined;
      return { runs, next: isMore ? `${last.startedAt ?? ""} ${last.id}` : null };
    },
    glance: async (id): Promise<FleetGlance | null> => {
      const now = await pulse(id);
      if (now === null) return null;
      if (now.seq !== copied.get(id)) {
        // Updates the local copy of the event log.
        await store.artifacts(id);
        copied.set(id, now.seq);
      }
      return { ...now, signature: signatureOf(now) };
    },
    machines: () => fleet.machines(),
    accounts: () => listAccounts(database),
    schedules: () => listSchedules(database),
    queues: () => queuedRuns(database),
    submit: ({ workflow, input, simulate, budgetMicroUsd, ...wanted }, caller) => {
      const { pool = DEFAULT_PLACEMENT.pool, account = null } = wanted;
      const placement = { ...DEFAULT_PLACEMENT, pool, account };
      const settings = budgetMicroUsd === undefined ? {} : { budgetMicroUsd };
      // The settings of a new run come from the folder of its workflow, not from the fleet.
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

function signatureOf({ holder, seq, ...shown }: RunPulse): string {
  // The last events of a run are written after its last save.
  return JSON.stringify([shown, holder?.pid, holder?.startedAt, holder === null ? seq : null]);
}

/** The last run of the previous page, from {@link ListedRuns.next}. */
function positionOf(after: string | null): readonly [startedAt: string, id: RunId] | null {
  const [startedAt, id] = after?.split(" ") ?? [];
  return startedAt === undefined || id === undefined ? null : [startedAt, id];
}
