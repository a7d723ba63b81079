import { BadFlagError } from "../config/errors.ts";
import { RaymondError } from "../language/basics/errors.ts";
import type { AgentId } from "../machine/agent.ts";
import { runIdProblem, runTail } from "../machine/run-id.ts";
import type { RunId } from "../machine/run-state.ts";
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

/** The folder of runs that a use case is about, where it is not that of the project. */
export interface Place {
  /** `--state-dir`: where runs and configuration are, in place of the project's `.raymond`. */
  readonly stateDir?: string | undefined;
}

/** A run, in any way that a user may name it (docs/cli.md, "What goes where"). */
export interface Wanted extends Place {
  /** Its id, a prefix, its last six characters, the path of its state file, or `latest`. */
  readonly run: string;
}

/** A run, and optionally one of its agents. */
export interface WantedAgents extends Wanted {
  /** Without it, all agents that qualify. */
  readonly agent?: AgentId | undefined;
}

/** A run that the user has named, and the store that has it. */
export interface NamedRun {
  readonly id: RunId;
  /** The `.raymond` folder: another than the project's where a state file was named by its path. */
  readonly root: string;
  readonly store: RunSource;
  /** How the user would call raymond again for this run. */
  readonly program: string;
}

/**
 * Where runs and configuration are: `--state-dir`, else the project's
 * `.raymond` (docs/state-file.md, "Files"). Of a fleet its name, for people.
 */
export async function stateRoot({ stateDir }: Place, caller: Caller): Promise<string> {
  if (caller.fleet !== undefined) return caller.fleet.shown;
  if (stateDir === "") throw new BadFlagError("--state-dir", stateDir, "a folder");
  const { disk } = await caller.system();
  return findStateRoot(caller.cwd, { disk, stateDir: stateDir ?? null });
}

/** The runs of this folder; where a fleet is meant, those of the fleet. */
export async function storeIn(root: string, caller: Caller): Promise<RunSource> {
  if (caller.fleet !== undefined) return caller.fleet.store;
  return folderRuns(root, { disk: (await caller.system()).disk });
}

/** Any way to name a run → the run. Rejects with a RaymondError when there is none, or several. */
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

/** The run with exactly this id, and the file of its state; null where there is none. */
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

/** Two folders that may be one, by way of links. */
async function isSame(disk: Disk, one: string, other: string): Promise<boolean> {
  const [real, realOther] = await Promise.all(
    [one, other].map((folder) => disk.realPath(folder).catch(() => null)),
  );
  return one === other || (real !== null && real === realOther);
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

/** A run, and a name of it that stays its own: `latest` is another one tomorrow. */
export interface PinnedRun extends NamedRun {
  readonly named: Wanted;
}

/** Any way to name a run → the run with such a name. Rejects as `nameRun` does. */
export async function pinRun(wanted: Wanted, caller: Caller): Promise<PinnedRun> {
  const named = await nameRun(wanted, caller);
  const { stateDir } = wanted;
  // A path may have led to another project.
  const isHere = (await stateRoot({ stateDir }, caller)) === named.root;
  return { ...named, named: { run: named.id, stateDir: isHere ? stateDir : named.root } };
}
