import path from "node:path";
import type { Clock } from "../../engine/ports/clock.ts";
import type { Store } from "../../engine/ports/store.ts";
import { pathInside } from "../../files/paths.ts";
import type { RunId, RunState } from "../../machine/model/run-state.ts";
import type { Git } from "../../workspaces/git.ts";
import { moveRun } from "../../workspaces/move-run.ts";
import { fleetErrors } from "../errors.ts";
import type { PlacementRow } from "../store/rows/placed-runs.ts";
import type { MachineId, Snapshot, Workspace } from "../store/rows/placement.ts";
import { existingClone, makeClone } from "./clone.ts";
import { Repositories } from "./remote.ts";
import { storeWithFiles } from "./snapshots.ts";

export interface ClonesOptions {
  /** The folder of the worker. */
  readonly folder: string;
  readonly machine: MachineId;
  readonly git: Git;
  readonly clock: Clock;
  /** Makes a folder and its parents, as the user that `git` runs as. */
  readonly makeFolder: (folder: string) => Promise<void>;
  readonly log: (line: string) => void;
}

/** The clones that the runs of this worker work in. */
export class Clones {
  readonly #options: ClonesOptions;
  readonly #repositories: Repositories;
  readonly #snapshots = new Map<RunId, Snapshot>();

  constructor(options: ClonesOptions) {
    this.#options = options;
    this.#repositories = new Repositories(path.join(options.folder, "repositories"), options.git);
  }

  /** The snapshot to record with the next save of a run; null: unchanged. */
  readonly snapshotOf = (id: RunId): Snapshot | null => this.#snapshots.get(id) ?? null;

  /** Records no further snapshot of a run. */
  forget(id: RunId): void {
    this.#snapshots.delete(id);
  }

  /**
   * Resolves with the run in its clone, and a store that makes a snapshot before each save. On the home of the
   * run the clone is as it was left; elsewhere it has the files of the last save. `epoch`: of the claim.
   */
  async open<S extends Pick<Store, "save">>(
    run: RunState,
    { repository, commit, subfolder }: Extract<Workspace, { readonly kind: "git" }>,
    { home, snapshot }: Pick<PlacementRow, "home" | "snapshot">,
    { store, epoch }: { readonly store: S; readonly epoch: number },
  ): Promise<{ readonly run: RunState; readonly store: S }> {
    const { machine, git, clock, makeFolder, log } = this.#options;
    const folder = path.join(this.#options.folder, "workspaces", run.id);
    const snapshots = path.join(this.#options.folder, "snapshots", run.id);
    const source = { folder, snapshots, repository, commit: snapshot?.commit ?? commit };
    const existing = home === machine ? await existingClone(source, git) : null;
    if (existing === null && snapshot !== null && snapshot.behind !== null) {
      throw fleetErrors["fleet/files-left-behind"](run.id, home, snapshot.behind);
    }
    const clone = existing ?? (await makeClone(source, this.#repositories, git));
    const old = path.resolve(run.launchDir, path.relative(subfolder, "") || ".");
    const launchDir = path.join(folder, subfolder);
    const moved = { ...moveRun(run, { from: old, to: folder }), launchDir };
    await makeFolder(moved.launchDir).catch(() => {
      throw fleetErrors["fleet/bad-subfolder"](subfolder, "is no folder in that commit");
    });
    // Git does not store empty folders.
    for (const { cwd } of moved.agents) {
      if (cwd !== null && pathInside(folder, cwd) !== null) await makeFolder(cwd);
    }
    const record = (made: Snapshot) => {
      this.#snapshots.set(run.id, made);
    };
    const files = { clone, repository, epoch, clock, recorded: snapshot, record, log };
    return { run: moved, store: storeWithFiles(store, moved, files) };
  }
}
