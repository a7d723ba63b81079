import { BadFlagError } from "../config/errors.ts";
import type { RunId } from "../core/machine/run-state.ts";
import type { Store } from "../ports/store.ts";
import type { Disk } from "../stores/disk.ts";
import { fileStore } from "../stores/file.ts";
import { findRun } from "../stores/find-run.ts";
import { findStateRoot } from "../stores/state-root.ts";
import type { RunOptions } from "./run-options.ts";
import type { Shell } from "./shell.ts";
import { programName } from "./words.ts";

/** A run that the user has named, and the store that has it. */
export interface NamedRun {
  readonly id: RunId;
  /** The `.raymond` folder: another than the project's where a state file was named by its path. */
  readonly root: string;
  readonly store: Store;
  /** The `--state-dir` with which it can be named by its id, from the same place; without where none is needed. */
  readonly place: Pick<RunOptions, "stateDir">;
  /** How the user would call raymond again for this run. */
  readonly program: string;
}

/**
 * Where runs and configuration are: `--state-dir`, else the project's
 * `.raymond` (docs/state-file.md, "Where things lie").
 */
export async function stateRoot(shell: Shell, stateDir: string | undefined): Promise<string> {
  if (stateDir === "") throw new BadFlagError("--state-dir", stateDir, "a folder");
  const { disk } = await shell.system();
  return findStateRoot(shell.cwd, { disk, stateDir: stateDir ?? null });
}

/** The runs of this folder. */
export async function storeIn(root: string, shell: Shell): Promise<Store> {
  return fileStore(root, { disk: (await shell.system()).disk });
}

/** Any way to name a run → the run. Rejects with a RaymondError when there is none, or several. */
export async function nameRun(
  shell: Shell,
  wanted: string,
  stateDir: string | undefined,
): Promise<NamedRun> {
  const project = await stateRoot(shell, stateDir);
  const { disk } = await shell.system();
  const { id, root } = await findRun(project, wanted, { launchDir: shell.cwd, disk });
  const named = (await isSame(disk, root, project)) ? stateDir : root;
  const place = named === undefined ? {} : { stateDir: named };
  return { id, root, store: await storeIn(root, shell), place, program: programName(place) };
}

/** Two folders that may be one, by way of links. */
async function isSame(disk: Disk, one: string, other: string): Promise<boolean> {
  const [real, realOther] = await Promise.all(
    [one, other].map((folder) => disk.realPath(folder).catch(() => null)),
  );
  return one === other || (real !== null && real === realOther);
}
