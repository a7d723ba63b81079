import type { Clock } from "../../engine/ports/clock.ts";
import type { Store } from "../../engine/ports/store.ts";
import { inFlight } from "../../machine/model/roster.ts";
import type { RunState } from "../../machine/model/run-state.ts";
import { refOf } from "../../workspaces/refs.ts";
import type { Snapshot } from "../store/rows/placement.ts";
import type { Clone } from "./clone.ts";

/*
 * How the files of a run move to other machines:
 *
 * G1  The id of the snapshot is saved in the transaction of the run's state, and alone decides which files belong
 *     to the state. Refs only keep the commit at the remote.
 * G2  A snapshot is made after a step attempt has ended, so that it contains no half-done work, except of
 *     steps that run concurrently in the same folder.
 * G3  If a snapshot cannot be made or pushed, it is recorded as behind: the run continues, but cannot move
 *     until a later push succeeds.
 * G4  Each claim of a run has a ref of its own (its epoch), which no other claim writes. So a late push
 *     removes nothing that was recorded. The ref `main` is for users.
 */

export interface SnapshotOptions {
  readonly clone: Clone;
  readonly repository: string;
  /** Of the claim. */
  readonly epoch: number;
  readonly clock: Clock;
  readonly recorded: Snapshot | null;
  /** Receives the snapshot to record with the next save. */
  readonly record: (snapshot: Snapshot) => void;
  /** Receives a message when pushes start to fail, and when they succeed again. */
  readonly log: (line: string) => void;
}

/** A store that makes and pushes a snapshot before it saves the end of a step attempt (G1, G2). */
export function storeWithFiles<S extends Pick<Store, "save">>(
  store: S,
  run: RunState,
  options: SnapshotOptions,
): S {
  const { clone, recorded, record, log } = options;
  let last = clone.last;
  let behind = recorded?.behind ?? null;
  let before = run;

  async function pushFiles(next: RunState): Promise<void> {
    const title = `raymond: ${next.id} after save ${String(next.saves)}`;
    const made = await clone.snapshots.take(title);
    const isNew = made.commit !== last.commit;
    last = made;
    if (isNew || behind !== null) await push(next.id, made.commit, options);
  }
  async function snapshot(next: RunState): Promise<void> {
    const problem = await pushFiles(next).then(
      () => null,
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    );
    if (problem !== null && behind === null) {
      log(
        `${next.id}: cannot run on other machines: its files are only in ${clone.folder}: ${problem}`,
      );
    }
    if (problem === null && behind !== null)
      log(`${next.id}: its files are at the remote again, other machines can run it`);
    behind = problem;
    record({ commit: last.commit, behind });
  }
  return {
    ...store,
    save: async (next, expected) => {
      if (hasAttemptEnded(next, before)) await snapshot(next);
      await store.save(next, expected);
      before = next;
    },
  };
}

function hasAttemptEnded(next: RunState, before: RunState): boolean {
  const running = new Set(inFlight(next).map(({ activity }) => activity.process));
  return inFlight(before).some(({ activity }) => !running.has(activity.process));
}

async function push(
  run: string,
  commit: string,
  { clone, repository, epoch, clock }: SnapshotOptions,
): Promise<void> {
  const refs = [refOf(run, epoch), refOf(run)].map((ref) => `+${commit}:${ref}`);
  const args = ["push", "--quiet", "--no-verify", "--", repository, ...refs];
  for (const pause of [...RETRY_PAUSES_MS, null]) {
    const startedAt = clock.elapsed();
    try {
      await clone.git(args, { timeoutMs: PUSH_MS, network: true });
      return;
    } catch (error) {
      if (pause === null || clock.elapsed() - startedAt > SLOW_MS) throw error;
      await clock.sleep(pause, new AbortController().signal);
    }
  }
}

const PUSH_MS = 5 * 60_000;
const RETRY_PAUSES_MS = [500, 3_000];
/** A push that fails after this time is not retried, because the run waits for it. */
const SLOW_MS = 10_000;
