import path from "node:path";
import type { RunId, RunState } from "../../core/machine/run-state.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Store } from "../../ports/store.ts";
import type { PlacementRow } from "../../stores/postgres/placed-runs.ts";
import type { MachineId, Snapshot, Workspace } from "../../stores/postgres/placement.ts";
import { type Clone, existingClone, folderIn, keepFolders, makeClone } from "./clone.ts";
import { FilesLeftBehindError } from "./errors.ts";
import type { Git } from "./git.ts";
import { moveRun } from "./moved-run.ts";
import { Repositories } from "./repositories.ts";
import { storeWithFiles } from "./snapshots.ts";

/** What the clones of a worker are made with. */
export interface ClonesOptions {
  /** The worker's own. */
  readonly folder: string;
  readonly machine: MachineId;
  readonly git: Git;
  readonly clock: Clock;
  /** Hears what is odd, a sentence each. */
  readonly tell: (line: string) => void;
}

/** A run with its files on this machine. */
interface Settled<S> {
  readonly run: RunState;
  /** No state of it is saved by this before its files are kept. */
  readonly store: S;
}

/** The clones that runs of this worker work in. */
export class Clones {
  readonly #options: ClonesOptions;
  readonly #repositories: Repositories;
  readonly #snapshots = new Map<RunId, Snapshot>();

  constructor(options: ClonesOptions) {
    this.#options = options;
    this.#repositories = new Repositories(path.join(options.folder, "repositories"), options.git);
  }

  /** What is written down with a save of a run; null: nothing new. */
  readonly snapshotOf = (id: RunId): Snapshot | null => this.#snapshots.get(id) ?? null;

  /** From now on nothing is written down of it. */
  forget(id: RunId): void {
    this.#snapshots.delete(id);
  }

  /**
   * The run with its files: at its home as they were left, anywhere else as they were recorded with the state
   * that was saved last. `epoch`: the number of its taking. Rejects with a RaymondError where they cannot be had.
   */
  async settle<S extends Pick<Store, "save">>(
    run: RunState,
    workspace: Extract<Workspace, { readonly kind: "git" }>,
    { home, snapshot }: Pick<PlacementRow, "home" | "snapshot">,
    { store, epoch }: { readonly store: S; readonly epoch: number },
  ): Promise<Settled<S>> {
    const { folder, machine, git, clock, tell } = this.#options;
    const { repository, commit, subfolder } = workspace;
    const at = path.join(folder, "workspaces", run.id);
    const of = { folder: at, repository, commit: snapshot?.commit ?? commit };
    const left = home === machine ? await existingClone(of, git) : null;
    if (left === null && snapshot !== null && snapshot.behind !== null) {
      throw new FilesLeftBehindError(run.id, home, snapshot.behind);
    }
    const clone: Clone = left ?? (await makeClone(of, this.#repositories, git));
    const moved = moveRun(run, await folderIn(clone, subfolder), subfolder);
    await keepFolders(
      clone,
      moved.agents.flatMap(({ cwd }) => cwd ?? []),
    );
    const record = (made: Snapshot) => {
      this.#snapshots.set(run.id, made);
    };
    const snapshots = { clone, repository, epoch, clock, recorded: snapshot, record, tell };
    return { run: moved, store: storeWithFiles(store, moved, snapshots) };
  }
}
