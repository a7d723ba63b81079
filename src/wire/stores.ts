import { BadFlagError } from "../config/errors.ts";
import type { Store } from "../engine/ports/store.ts";
import { RaymondError } from "../language/basics/errors.ts";
import type { AgentId } from "../machine/model/agent.ts";
import { runIdProblem, runTail } from "../machine/model/run-id.ts";
import type { RunId, RunState } from "../machine/model/run-state.ts";
import type { Disk } from "../storage/disk.ts";
import { storageErrors } from "../storage/errors.ts";
import { type FindRunOptions, findRun, pickRun } from "../storage/find-run.ts";
import { refuseLinkedState } from "../storage/refuse-links.ts";
import { findHome } from "../storage/run-home.ts";
import { findStateRoot } from "../storage/state-root.ts";
import type { Caller, FleetRuns } from "./caller.ts";
import { folderRuns } from "./folder-runs.ts";
import { programName } from "./program-name.ts";
import type { RunSource } from "./run-source.ts";

/** Selects a state folder. */
export interface Place {
  /** `--state-dir`: where runs and configuration are, in place of the project's `.raymond`. */
  readonly stateDir?: string | undefined;
}

/** A run as a user may name it (docs/cli.md, "Conventions"). */
export interface Wanted extends Place {
  /** Its id, a prefix, its last six characters, the path of its state file, or `latest`. */
  readonly run: string;
}

export interface WantedAgents extends Wanted {
  /** Default: all agents that qualify. */
  readonly agent?: AgentId | undefined;
}

export interface NamedRun {
  readonly id: RunId;
  /** The `.raymond` folder. For a state file named by its path, not that of the project. */
  readonly root: string;
  readonly store: RunSource;
  /** How the user calls raymond for this run. */
  readonly program: string;
}

/**
 * The folder of runs and configuration: `--state-dir`, else the project's `.raymond`
 * (docs/state-file.md, "Files").
 */
export async function stateRoot({ stateDir }: Place, caller: Caller): Promise<string> {
  if (stateDir === "") throw new BadFlagError("--state-dir", stateDir, "a folder");
  const { disk } = await caller.system();
  return findStateRoot(caller.cwd, { disk, stateDir: stateDir ?? null });
}

/** The selected runs. `root` is the name of a fleet, or a state folder. */
export async function runsOf(
  place: Place,
  caller: Caller,
): Promise<Pick<NamedRun, "root" | "store">> {
  const { fleet } = caller;
  if (fleet !== undefined) return { root: fleet.shown, store: fleet.store };
  const root = await stateRoot(place, caller);
  return { root, store: await storeIn(root, caller) };
}

async function storeIn(root: string, caller: Caller): Promise<RunSource> {
  return folderRuns(root, { disk: (await caller.system()).disk });
}

/** Rejects with a RaymondError if there is no such run, or several. */
export async function nameRun(
  { run, stateDir }: Wanted,
  caller: Caller,
  { followLinks }: Pick<FindRunOptions, "followLinks"> = {},
): Promise<NamedRun> {
  if (caller.fleet !== undefined) return nameFleetRun(run, caller.fleet);
  const project = await stateRoot({ stateDir }, caller);
  const { disk } = await caller.system();
  const { id, root } = await findRun(project, run, {
    launchDir: caller.cwd,
    disk,
    followLinks,
  });
  if (followLinks === false) await refuseLinkedState(disk, root, id);
  const named = (await isSame(disk, root, project)) ? stateDir : root;
  const program = programName({ stateDir: named });
  return { id, root, store: await storeIn(root, caller), program };
}

/** The run with exactly this id, and its state file; null if there is none. */
export async function runWithId(
  root: string,
  id: RunId,
  caller: Caller,
): Promise<(NamedRun & { readonly stateFile: string }) | null> {
  if (runIdProblem(id) !== null) return null;
  const { disk } = await caller.system();
  const { stateFile } = await findHome(disk, root, id);
  if ((await disk.entry(stateFile).catch(() => null)) === null) return null;
  const own = await stateRoot({}, caller).catch(() => null);
  const program = programName({
    stateDir: own !== null && (await isSame(disk, root, own)) ? undefined : root,
  });
  return { id, root, store: await storeIn(root, caller), program, stateFile };
}

async function nameFleetRun(wanted: string, fleet: FleetRuns): Promise<NamedRun> {
  const ids = await fleet.named(wanted);
  if (ids.length === 0) throw storageErrors["store/unknown-run"](wanted, await fleet.last());
  const { store, shown: root } = fleet;
  return { id: pickRun(ids, wanted), root, store, program: "raymond" };
}

/** Whether two paths lead to the same folder. */
async function isSame(disk: Disk, one: string, other: string): Promise<boolean> {
  const [real, realOther] = await Promise.all(
    [one, other].map((folder) => disk.realPath(folder).catch(() => null)),
  );
  return one === other || (real !== null && real === realOther);
}

/** Rejects with `store/unknown-run` if the run does not exist. */
export async function loadNamed(store: Pick<Store, "load">, id: RunId): Promise<RunState> {
  const run = await store.load(id);
  if (run === undefined) throw storageErrors["store/unknown-run"](id);
  return run;
}

/**
 * Whether a word is certainly the name of a run. A prefix is not: `w` is the prefix of most ids.
 */
export async function isRunName({ run, stateDir }: Wanted, caller: Caller): Promise<boolean> {
  try {
    const { id } = await nameRun({ run, stateDir }, caller);
    return run === "latest" || run === id || run === runTail(id);
  } catch (error) {
    if (error instanceof RaymondError) return false;
    throw error;
  }
}

/** A run, and a name for it that does not change, as `latest` does. */
export interface PinnedRun extends NamedRun {
  readonly named: Wanted;
}

/** Rejects as `nameRun` does. */
export async function pinRun(wanted: Wanted, caller: Caller): Promise<PinnedRun> {
  const named = await nameRun(wanted, caller);
  const { stateDir } = wanted;
  // A path may have led to another project.
  const isHere = (await runsOf({ stateDir }, caller)).root === named.root;
  return { ...named, named: { run: named.id, stateDir: isHere ? stateDir : named.root } };
}
