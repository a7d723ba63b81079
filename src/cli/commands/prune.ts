import { parseDurationFlag, parseNumberOf } from "../../config/flags.ts";
import { UnknownRunError } from "../../stores/errors.ts";
import type { RunSummary, Store } from "../../stores/store.ts";
import { FlagConflictError } from "../errors.ts";
import { oldRuns } from "../old-runs.ts";
import { nameRun, stateRoot, storeIn } from "../runs.ts";
import type { Shell } from "../shell.ts";
import { formatRun } from "./list.ts";

interface PruneOptions {
  readonly all?: true;
  readonly olderThan?: string;
  readonly keep?: string;
  readonly dryRun?: true;
  readonly stateDir?: string;
}

interface StoredRun {
  readonly run: RunSummary;
  readonly store: Store;
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
  const runs =
    wanted.length === 0 ? await chosen(options, shell) : await named(wanted, options, shell);
  for (const { run, store } of runs) {
    if (options.dryRun !== true) await store.remove(run.id);
    shell.out.line(`${options.dryRun === true ? "would delete" : "deleted"}  ${formatRun(run)}`);
  }
  if (runs.length === 0) shell.err.line("There is nothing to delete.");
}

async function chosen(options: PruneOptions, shell: Shell): Promise<readonly StoredRun[]> {
  const { all, olderThan, keep, stateDir } = options;
  const rule = {
    all: all === true,
    olderThanMs: olderThan === undefined ? null : parseDurationFlag("--older-than", olderThan),
    keep: keep === undefined ? 0 : parseNumberOf("--keep", keep),
  };
  const store = await storeIn(await stateRoot(shell, stateDir), shell);
  return oldRuns(await store.list(), rule, shell.now()).map((run) => ({ run, store }));
}

async function named(
  wanted: readonly string[],
  options: PruneOptions,
  shell: Shell,
): Promise<readonly StoredRun[]> {
  const { all, olderThan, keep, stateDir } = options;
  const rules = [
    ["--all", all],
    ["--older-than", olderThan],
    ["--keep", keep],
  ] as const;
  for (const [flag, value] of rules) {
    if (value === undefined) continue;
    throw new FlagConflictError(
      `${flag} chooses among all runs, and some are named.`,
      `Name runs, or give ${flag}, but not both.`,
    );
  }
  return Promise.all(
    wanted.map(async (name) => {
      const { id, store } = await nameRun(shell, name, stateDir);
      const run = (await store.list()).find((one) => one.id === id);
      if (run === undefined) throw new UnknownRunError(name, []);
      return { run, store };
    }),
  );
}
