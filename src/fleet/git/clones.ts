import path from "node:path";
import type { Clock } from "../../engine/ports/clock.ts";
import type { Store } from "../../engine/ports/store.ts";
import type { RunId, RunState } from "../../machine/run-state.ts";
import { fleetErrors } from "../errors.ts";
import type { PlacementRow } from "../store/rows/placed-runs.ts";
import type { MachineId, Snapshot, Workspace } from "../store/rows/placement.ts";
import {
  type Clone,
  existingClone,
  folderIn,
  keepFolders,
  type MakeFolder,
  makeClone,
} from "./clone.ts";
import type { Git } from "./git.ts";
import { Repositories } from "./repositories.ts";
import { storeWithFiles } from "./snapshots.ts";

/** What the clones of a worker are made with. */
export interface ClonesOptions {
  /** The worker's own. */
  readonly folder: string;
  readonly machine: MachineId;
  readonly git: Git;
  readonly clock: Clock;
  /** Of the user that `git` runs as. */
  readonly makeFolder: MakeFolder;
  /** Hears what is odd, a sentence each. */
  readonly log: (line: string) => void;
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
  async open<S extends Pick<Store, "save">>(
    run: RunState,
    workspace: Extract<Workspace, { readonly kind: "git" }>,
    { home, snapshot }: Pick<PlacementRow, "home" | "snapshot">,
    { store, epoch }: { readonly store: S; readonly epoch: number },
  ): Promise<Settled<S>> {
    const { folder, machine, git, clock, makeFolder, log } = this.#options;
    const { repository, commit, subfolder } = workspace;
    const at = path.join(folder, "workspaces", run.id);
    const of = { folder: at, repository, commit: snapshot?.commit ?? commit };
    const left = home === machine ? await existingClone(of, git) : null;
    if (left === null && snapshot !== null && snapshot.behind !== null) {
      throw fleetErrors["fleet/files-left-behind"](run.id, home, snapshot.behind);
    }
    const clone: Clone = left ?? (await makeClone(of, this.#repositories, git));
    const moved = moveRun(run, await folderIn(clone, subfolder, makeFolder), subfolder);
    await keepFolders(
      clone,
      moved.agents.flatMap(({ cwd }) => cwd ?? []),
      makeFolder,
    );
    const record = (made: Snapshot) => {
      this.#snapshots.set(run.id, made);
    };
    const snapshots = { clone, repository, epoch, clock, recorded: snapshot, record, log };
    return { run: moved, store: storeWithFiles(store, moved, snapshots) };
  }
}

/** Moves a run to another clone: working folders of agents in the old clone change to the new one. */
function moveRun(run: RunState, launchDir: string, subfolder: string): RunState {
  const from = topOf(run.launchDir, subfolder);
  const to = topOf(launchDir, subfolder);
  const agents = run.agents.map((agent) => {
    const way = agent.cwd === null ? null : path.relative(from, agent.cwd);
    if (way === null || way.split(path.sep)[0] === ".." || path.isAbsolute(way)) return agent;
    return { ...agent, cwd: path.join(to, way) };
  });
  return { ...run, launchDir, agents };
}

/** The top-level folder of the clone. */
function topOf(folder: string, subfolder: string): string {
  return path.resolve(folder, path.relative(subfolder, "") || ".");
}
