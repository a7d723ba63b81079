import { UnknownRunError } from "../../stores/errors.ts";
import { fileStore } from "../../stores/file.ts";
import type { RunSummary, Store } from "../../stores/store.ts";
import { nameRun, stateRoot } from "../runs.ts";
import type { Shell } from "../shell.ts";
import { formatRun } from "./list.ts";

interface PruneOptions {
  readonly all?: true;
  readonly dryRun?: true;
  readonly stateDir?: string;
}

/**
 * `raymond prune`: deletes completed runs, or those that are named, with all
 * that they own. A run that some process holds is never deleted.
 */
export async function pruneCommand(
  wanted: readonly string[],
  options: PruneOptions,
  shell: Shell,
): Promise<void> {
  const store = fileStore(await stateRoot(shell, options.stateDir));
  const runs =
    wanted.length === 0
      ? (await store.list())
          .filter((run) => isOld(run, options.all === true))
          .map((run) => ({ run, store }))
      : await Promise.all(wanted.map((name) => named(shell, name, options.stateDir)));
  for (const { run, store: holder } of runs) {
    if (options.dryRun !== true) await holder.remove(run.id);
    shell.out.line(`${options.dryRun === true ? "would delete" : "deleted"}  ${formatRun(run)}`);
  }
  if (runs.length === 0) shell.err.line("There is nothing to delete.");
}

async function named(
  shell: Shell,
  wanted: string,
  stateDir: string | undefined,
): Promise<{ readonly run: RunSummary; readonly store: Store }> {
  const { id, store } = await nameRun(shell, wanted, stateDir);
  const run = (await store.list()).find((one) => one.id === id);
  if (run === undefined) throw new UnknownRunError(wanted, []);
  return { run, store };
}

function isOld(run: RunSummary, all: boolean): boolean {
  switch (run.status) {
    case "completed":
      return true;
    case "running":
    case "waiting":
    case "unreadable":
      return false;
    case "failed":
    case "paused":
    case "interrupted":
    case "budget_exceeded":
    case "crashed":
      return all;
  }
}
