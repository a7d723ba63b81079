import type { RunId } from "../core/machine/run-state.ts";
import { fileStore } from "../stores/file.ts";
import { findRun } from "../stores/find-run.ts";
import { findStateRoot } from "../stores/state-root.ts";
import type { Store } from "../stores/store.ts";
import type { Shell } from "./shell.ts";

/** A run that the user has named, and the store that has it. */
export interface NamedRun {
  readonly id: RunId;
  /** The `.raymond` folder: another than the project's where a state file was named by its path. */
  readonly root: string;
  readonly store: Store;
}

/** Where runs and configuration are: `--state-dir`, else the project's `.raymond` (spec 3). */
export async function stateRoot(shell: Shell, stateDir: string | undefined): Promise<string> {
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
  const { id, root } = await findRun(await stateRoot(shell, stateDir), wanted, {
    launchDir: shell.cwd,
    disk: (await shell.system()).disk,
  });
  return { id, root, store: await storeIn(root, shell) };
}
