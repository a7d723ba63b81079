import { type FSWatcher, statSync, watch } from "node:fs";
import path from "node:path";
import type { Caller } from "../caller.ts";

/** Editors write a file in several steps, and often several files. */
const SETTLED_MS = 100;

/**
 * Calls `work` now, and after each change of a file of these workflows. Resolves when `until`
 * aborts. Rejects if `work` does.
 */
export async function watchWorkflows(
  paths: readonly string[],
  { cwd }: Pick<Caller, "cwd">,
  work: () => Promise<void>,
  until: AbortSignal = new AbortController().signal,
): Promise<void> {
  let changed = false;
  let wake = (): void => undefined;
  const note = () => {
    changed = true;
    wake();
  };
  let watchers: readonly FSWatcher[] = [];
  const close = () => {
    for (const one of watchers) one.close();
  };
  /** Resolves the paths again: the folder may have been replaced. */
  const listen = () => {
    close();
    watchers = paths.map((one) => {
      const [folder, awaited] = placeOf(path.resolve(cwd, one));
      return watch(folder, (_, name) => {
        if (awaited === null || name === awaited) note();
      });
    });
  };
  const end = () => {
    wake();
  };
  until.addEventListener("abort", end);
  try {
    while (!until.aborted) {
      changed = false;
      listen();
      await work();
      await new Promise<void>((resolve) => {
        wake = resolve;
        if (changed || until.aborted) resolve();
      });
      await new Promise((resolve) => setTimeout(resolve, SETTLED_MS));
    }
  } finally {
    until.removeEventListener("abort", end);
    close();
  }
}

/** The folder to watch, and the name to wait for. For a missing workflow: the nearest existing folder. */
function placeOf(workflow: string): readonly [folder: string, awaited: string | null] {
  const found = statSync(workflow, { throwIfNoEntry: false });
  if (found?.isDirectory() === true) return [workflow, null];
  const above = path.dirname(workflow);
  if (found !== undefined || above === workflow) return [above, null];
  const there = statSync(above, { throwIfNoEntry: false }) !== undefined;
  return there ? [above, path.basename(workflow)] : placeOf(above);
}
