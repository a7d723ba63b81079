import { parseDurationFlag, parseNumberOf } from "../../config/flags.ts";
import { formatBytes } from "../../core/bytes.ts";
import { counted } from "../../core/counted.ts";
import { type PrunableRun, type PruneOptions, prunable } from "../../runs/prune.ts";
import { FlagConflictError } from "../errors.ts";
import { RUN_COLUMNS, runCells } from "../run-table.ts";
import type { Shell } from "../shell.ts";
import { type Column, fitTable } from "../table.ts";

interface PruneFlags {
  readonly runs: readonly string[];
  readonly takeOver?: true;
  readonly all?: true;
  readonly olderThan?: string;
  readonly keep?: string;
  readonly dryRun?: true;
  readonly yes?: true;
  readonly stateDir?: string;
}

/**
 * `raymond prune`: deletes completed runs, or those that are named, with all
 * that they own. Somebody at a terminal is asked before. A run that some
 * process holds is never deleted.
 */
export async function pruneCommand(flags: PruneFlags, shell: Shell): Promise<void> {
  const found = await prunable(pruneOptions(flags), shell);
  if (found.length === 0) {
    shell.err.line("There is nothing to delete.");
    return;
  }
  const bytes = found.reduce((sum, run) => sum + run.bytes, 0);
  const all = `${counted(found.length, "run")}, ${formatBytes(bytes)}`;
  const lines = (verb: string) => formatRuns(found, verb, shell);

  if (flags.dryRun === true) {
    for (const line of lines("would delete")) shell.out.line(line);
    shell.err.line(`That would be ${all}.`);
    return;
  }
  if (flags.yes !== true && shell.ask !== null) {
    for (const line of lines("")) shell.err.line(line);
    const answer = (await shell.ask(`Delete ${all}? [y/N] `)) ?? "";
    if (!/^y(es)?$/i.test(answer.trim())) {
      shell.err.line("Nothing was deleted.");
      return;
    }
  }
  const told = lines("deleted");
  for (const [index, { remove }] of found.entries()) {
    await remove();
    shell.out.line(told[index] ?? "");
  }
  shell.err.line(`Freed: ${all}.`);
}

/** One line a run, with what becomes of it and how many bytes it has. */
function formatRuns(
  found: readonly PrunableRun[],
  verb: string,
  { now, cwd, outColumns }: Shell,
): readonly string[] {
  // With names that are good for every folder that the runs may lie in.
  const view = { now: now(), cwd, names: new Map<string, string>() };
  const first = verb === "" ? [] : [verb];
  const rows = found.map(({ run, bytes }) => {
    return [...first, ...runCells(run, view), formatBytes(bytes)];
  });
  const columns = [...first.map(() => LEFT), ...RUN_COLUMNS, RIGHT];
  return fitTable(rows, columns, outColumns);
}

const LEFT: Column = { alignment: "left" };
const RIGHT: Column = { alignment: "right" };

function pruneOptions(flags: PruneFlags): PruneOptions {
  const { runs, all, olderThan, keep, takeOver, stateDir } = flags;
  const rules = { "--all": all, "--older-than": olderThan, "--keep": keep };
  const [flag] = Object.entries(rules).find(([, value]) => value !== undefined) ?? [];
  if (runs.length > 0 && flag !== undefined) {
    throw new FlagConflictError(
      `${flag} chooses among all runs, and some are named.`,
      `Name runs, or give ${flag}, but not both.`,
    );
  }
  if (runs.length === 0 && takeOver !== undefined) {
    throw new FlagConflictError(
      "--take-over is for runs that are named.",
      "Name them: whether the process that holds a run is dead is known one by one.",
    );
  }
  return {
    runs,
    takeOver,
    stateDir,
    all: all === true,
    olderThanMs: olderThan === undefined ? null : parseDurationFlag("--older-than", olderThan),
    keep: keep === undefined ? 0 : parseNumberOf("--keep", keep),
  };
}
