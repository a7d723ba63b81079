import type { RunId, RunState } from "../../machine/run-state.ts";
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

/** A run that a worker goes on with, while nobody else takes it. */
export interface ClaimedRun {
  readonly epoch: number;
  /**
   * As it was taken: its placement, and how it was saved last, which is null of one that never was. Asked
   * once, for it is kept no longer. Throws a NewerPlacementError, `store/newer-state`, or a DamagedStateError.
   */
  read(): { readonly row: PlacementRow; readonly run: RunState | null };
  /** Records that it is at home on a machine from now on, and how often it was taken. */
  settle(home: MachineId, claims: ClaimCounts): Promise<void>;
  /** Releases a run that has stopped. Resolves with whether it was requeued, as its move was requested. */
  close(): Promise<boolean>;
  /** Lets it go. Idempotent, and never rejects: where the database is away, the lock ends with this process, at the latest. */
  release(): Promise<void>;
}

/**
 * How a worker takes runs: those that are taken, settled and let go at the same time are so together.
 * `left`: hears what is let go. Rejects with a RunLockedError where somebody has it who lives.
 */
export function runClaimer(
  database: Database,
  released: (id: RunId, epoch: number) => void,
): (asked: ClaimRequest) => Promise<ClaimedRun | null> {
  const take = rowChanger<ClaimRequest, ClaimRow>(database, CLAIM);
  const settle = rowChanger(database, SETTLE);
  const end = rowChanger<ReleaseRequest, ReleaseRow>(database, RELEASE);
  return async (asked) => {
    const { id } = asked;
    let claimed = await take(asked);
    while (claimed?.free === true && claimed.epoch === null) claimed = await take(asked);
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
