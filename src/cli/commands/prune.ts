import { parseDurationFlag, parseNumberOf } from "../../config/flags.ts";
import type { RunSummary, Store } from "../../ports/store.ts";
import { oldRuns } from "../../runs/old-runs.ts";
import { runSize } from "../../runs/wire/run-size.ts";
import { nameRun, stateRoot, storeIn } from "../../runs/wire/stores.ts";
import { UnknownRunError } from "../../stores/errors.ts";
import { FlagConflictError } from "../errors.ts";
import { RUN_COLUMNS, runCells } from "../run-table.ts";
import type { Shell } from "../shell.ts";
import { type Column, fitTable } from "../table.ts";
import { counted, formatBytes } from "../words.ts";

interface PruneOptions {
  readonly all?: true;
  readonly olderThan?: string;
  readonly keep?: string;
  readonly dryRun?: true;
  readonly yes?: true;
  readonly stateDir?: string;
}

interface StoredRun {
  readonly run: RunSummary;
  readonly root: string;
  readonly store: Store;
}

/**
 * `raymond prune`: deletes completed runs, or those that are named, with all
 * that they own. Somebody at a terminal is asked before. A run that some
 * process holds is never deleted.
 */
export async function pruneCommand(
  wanted: readonly string[],
  options: PruneOptions,
  shell: Shell,
): Promise<void> {
  const runs =
    wanted.length === 0 ? await chosen(options, shell) : await named(wanted, options, shell);
  if (runs.length === 0) {
    shell.err.line("There is nothing to delete.");
    return;
  }
  const { disk } = await shell.system();
  const sizes = await Promise.all(runs.map(({ root, run }) => runSize(disk, root, run.id)));
  const all = `${counted(runs.length, "run")}, ${formatBytes(sizes.reduce((a, b) => a + b, 0))}`;
  const lines = (verb: string) => formatRuns(runs, sizes, verb, shell);

  if (options.dryRun === true) {
    for (const line of lines("would delete")) shell.out.line(line);
    shell.err.line(`That would be ${all}.`);
    return;
  }
  if (options.yes !== true && shell.ask !== null) {
    for (const line of lines("")) shell.err.line(line);
    const answer = await shell.ask(`Delete ${all}? [y/N] `);
    if (!/^y(es)?$/i.test(answer.trim())) {
      shell.err.line("Nothing was deleted.");
      return;
    }
  }
  const told = lines("deleted");
  for (const [index, { run, store }] of runs.entries()) {
    await store.remove(run.id);
    shell.out.line(told[index] ?? "");
  }
  shell.err.line(`Freed: ${all}.`);
}

/** One line a run, with what becomes of it and how many bytes it has. */
function formatRuns(
  runs: readonly StoredRun[],
  sizes: readonly number[],
  verb: string,
  { now, cwd, outColumns }: Shell,
): readonly string[] {
  // With names that are good for every folder that the runs may lie in.
  const view = { now: now(), cwd, names: new Map<string, string>() };
  const first = verb === "" ? [] : [verb];
  const rows = runs.map(({ run }, index) => {
    return [...first, ...runCells(run, view), formatBytes(sizes[index] ?? 0)];
  });
  const columns = [...first.map(() => LEFT), ...RUN_COLUMNS, RIGHT];
  return fitTable(rows, columns, outColumns);
}

const LEFT: Column = { alignment: "left" };
const RIGHT: Column = { alignment: "right" };

async function chosen(options: PruneOptions, shell: Shell): Promise<readonly StoredRun[]> {
  const { all, olderThan, keep, stateDir } = options;
  const rule = {
    all: all === true,
    olderThanMs: olderThan === undefined ? null : parseDurationFlag("--older-than", olderThan),
    keep: keep === undefined ? 0 : parseNumberOf("--keep", keep),
  };
  const root = await stateRoot({ stateDir }, shell);
  const store = await storeIn(root, shell);
  return oldRuns(await store.list(), rule, shell.now()).map((run) => ({ run, root, store }));
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
      const { id, root, store } = await nameRun({ run: name, stateDir }, shell);
      const run = (await store.list()).find((one) => one.id === id);
      if (run === undefined) throw new UnknownRunError(name);
      return { run, root, store };
    }),
  );
}
