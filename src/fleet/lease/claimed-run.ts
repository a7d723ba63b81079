import type { RunId, RunState } from "../../machine/model/run-state.ts";
import { RunLockedError } from "../../storage/errors.ts";
import type { Database } from "../store/database.ts";
import { type PlacementRow, requirePlacement } from "../store/rows/placed-runs.ts";
import type { ClaimCounts, MachineId } from "../store/rows/placement.ts";
import { rowChanger } from "../store/rows/row-change.ts";
import { readState } from "../store/rows/state-row.ts";
import {
  CLAIM,
  type ClaimRequest,
  type ClaimRow,
  RELEASE,
  type ReleaseRequest,
  type ReleaseRow,
  SETTLE,
} from "./claim-rows.ts";
import { decodeHolder } from "./holders.ts";

export interface ClaimedRun {
  readonly epoch: number;
  /**
   * The placement and the state at the time of the claim; the state is null before the first save. Can be
   * called once, to save memory. Throws `fleet/newer-run`, `store/newer-state`, or a DamagedStateError.
   */
  read(): { readonly row: PlacementRow; readonly run: RunState | null };
  /** Makes a machine the home of the run. */
  settle(home: MachineId, claims: ClaimCounts): Promise<void>;
  /** Releases a run that has stopped. Resolves with whether it was requeued, as its move was requested. */
  close(): Promise<boolean>;
  /** Idempotent, and never rejects: if the database is away, the lock ends with this process. */
  release(): Promise<void>;
}

/**
 * Claims runs for a worker. Concurrent claims, settlements and releases are batched. `released` is called for
 * each released run. Rejects with a RunLockedError if a live process holds the run.
 */
export function runClaimer(
  database: Database,
  released: (id: RunId, epoch: number) => void,
): (request: ClaimRequest) => Promise<ClaimedRun | null> {
  const claim = rowChanger<ClaimRequest, ClaimRow>(database, CLAIM);
  const settle = rowChanger(database, SETTLE);
  const end = rowChanger<ReleaseRequest, ReleaseRow>(database, RELEASE);
  return async (request) => {
    const { id } = request;
    let claimed = await claim(request);
    while (claimed?.free === true && claimed.epoch === null) claimed = await claim(request);
    if (claimed === null) return null;
    if (!claimed.free) throw new RunLockedError(id, decodeHolder(claimed));
    const { epoch } = claimed;
    let unread: typeof claimed | null = claimed;
    let closed = false;
    return {
      epoch,
      read: () => {
        if (unread === null) throw new Error(`the claimed run ${id} is read twice`);
        const { state, ...rest } = unread;
        unread = null;
        const row = requirePlacement(rest);
        return { row, run: state === null ? null : readState(id, { state, ...rest }, database) };
      },
      settle: async (home, claims) => {
        await settle({ id, epoch, home, claims });
      },
      close: async () => {
        const ended = await end({ id, epoch, over: true });
        closed = true;
        released(id, epoch);
        return ended?.requeued === true;
      },
      release: async () => {
        released(id, epoch);
        if (closed) return;
        closed = true;
        await end({ id, epoch, over: false }).catch(() => undefined);
      },
    };
  };
}
