import type { RunId, RunState } from "../../core/machine/run-state.ts";
import { RunLockedError } from "../errors.ts";
import type { Database } from "./database.ts";
import { decode } from "./holders.ts";
import { type PlacementRow, requirePlacement } from "./placed-runs.ts";
import type { MachineId, Takes } from "./placement.ts";
import { rowChanger } from "./row-change.ts";
import { readState } from "./state-row.ts";
import {
  type AskedEnd,
  type AskedTake,
  END,
  type EndRow,
  SETTLE,
  TAKE,
  type TookRow,
} from "./take-rows.ts";

/** A run that a worker goes on with, while nobody else takes it. */
export interface TakenRun {
  readonly epoch: number;
  /**
   * As it was taken: its placement, and how it was saved last, which is null of one that never was. Asked
   * once, for it is kept no longer. Throws a NewerPlacementError, a NewerStateError, or a DamagedStateError.
   */
  read(): { readonly row: PlacementRow; readonly run: RunState | null };
  /** Records that it is at home on a machine from now on, and how often it was taken. */
  settle(home: MachineId, takes: Takes): Promise<void>;
  /** Releases a run that has stopped. Resolves with whether it was requeued, as its move was requested. */
  close(): Promise<boolean>;
  /** Lets it go. Idempotent, and never rejects: where the database is away, the lock ends with this process, at the latest. */
  release(): Promise<void>;
}

/**
 * How a worker takes runs: those that are taken, settled and let go at the same time are so together.
 * `left`: hears what is let go. Rejects with a RunLockedError where somebody has it who lives.
 */
export function taker(
  database: Database,
  left: (id: RunId, epoch: number) => void,
): (asked: AskedTake) => Promise<TakenRun | null> {
  const take = rowChanger<AskedTake, TookRow>(database, TAKE);
  const settle = rowChanger(database, SETTLE);
  const end = rowChanger<AskedEnd, EndRow>(database, END);
  return async (asked) => {
    const { id } = asked;
    let took = await take(asked);
    while (took?.free === true && took.epoch === null) took = await take(asked);
    if (took === null) return null;
    if (!took.free) throw new RunLockedError(id, decode(took));
    const { epoch } = took;
    let unread: typeof took | null = took;
    let closed = false;
    return {
      epoch,
      read: () => {
        if (unread === null) throw new Error(`the run ${id} was taken, and is read twice`);
        const { state, ...rest } = unread;
        unread = null;
        const row = requirePlacement(rest);
        return { row, run: state === null ? null : readState(id, { state, ...rest }, database) };
      },
      settle: async (home, takes) => {
        await settle({ id, epoch, home, takes });
      },
      close: async () => {
        const ended = await end({ id, epoch, over: true });
        closed = true;
        left(id, epoch);
        return ended?.requeued === true;
      },
      release: async () => {
        left(id, epoch);
        if (closed) return;
        closed = true;
        await end({ id, epoch, over: false }).catch(() => undefined);
      },
    };
  };
}
