import { parseDurationFlag, parseNumberOf } from "../../config/flags.ts";
import { formatBytes } from "../../core/bytes.ts";
import { counted } from "../../core/counted.ts";
import { printable } from "../../observers/printable.ts";
import {
  type LeftRun,
  type Prunable,
  type PrunableRun,
  type PruneOptions,
  prunable,
} from "../../runs/prune.ts";
import { FlagConflictError, UnconfirmedPruneError } from "../errors.ts";
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
  readonly workerDir?: string;
}

/**
 * `raymond prune`: deletes completed runs, or those that are named, with all
 * that they own. A user at a terminal is asked before. Without a terminal `--all`, which deletes runs that could
 * be resumed, needs `--yes`. A run that some
 * process holds is never deleted.
 */
export async function pruneCommand(flags: PruneFlags, shell: Shell): Promise<void> {
  const found = await prunable(pruneOptions(flags), shell);
  const { runs, left } = found;
  if (runs.length + left.length === 0) {
    shell.err.line("There is nothing to delete.");
    return;
  }
  const bytes = [...runs, ...left].reduce((sum, one) => sum + one.bytes, 0);
  const all = `${countOf(found)}, ${formatBytes(bytes)}`;
  const lines = (verb: string) => [
    ...formatRuns(runs, verb, shell),
    ...left.map((one) => leftLine(one, verb)),
  ];

  if (flags.dryRun === true) {
    for (const line of lines("would delete")) shell.out.line(line);
    for (const line of refLines(found)) shell.err.line(printable(line));
    shell.err.line(`That would be ${all}.`);
    return;
  }
  if (flags.yes !== true && flags.all === true && shell.ask === null) {
    throw new UnconfirmedPruneError();
  }
  if (flags.yes !== true && shell.ask !== null) {
    for (const line of lines("")) shell.err.line(line);
    for (const line of refLines(found)) shell.err.line(printable(line));
    const answer = (await shell.ask(`Delete ${all}? [y/N] `)) ?? "";
    if (!/^y(es)?$/i.test(answer.trim())) {
      shell.err.line("Nothing was deleted.");
      return;
    }
  }
  const told = lines("deleted");
  for (const [index, { remove }] of [...runs, ...left].entries()) {
    await remove();
    shell.out.line(told[index] ?? "");
  }
  for (const line of await removeRefs(found)) shell.err.line(printable(line));
  shell.err.line(`Freed: ${all}.`);
}

function countOf({ runs, left }: Prunable): string {
  const known = runs.length === 0 && left.length > 0 ? [] : [counted(runs.length, "run")];
  const gone = left.length === 0 ? [] : [`what is left of ${counted(left.length, "run")}`];
  return [...known, ...gone].join(" and ");
}

/** What a worker has left here of a run that its fleet does not know any more. */
function leftLine({ id, bytes }: LeftRun, verb: string): string {
  return [verb, "what is left here of", id, formatBytes(bytes)].filter(Boolean).join("  ");
}

/** The refs that would be deleted, and what of them cannot be looked for. */
function refLines({ remotes }: Prunable): readonly string[] {
  return remotes.flatMap(({ repository, refs, trouble }) => {
    if (trouble !== null)
      return [`The refs of these runs at ${repository} would stay (${trouble}).`];
    const count = [...refs.values()].reduce((sum, each) => sum + each, 0);
    return count === 0 ? [] : [`Also ${counted(count, "ref")} at ${repository}.`];
  });
}

/** Deletes the refs of runs that are gone, and says what had to stay. */
async function removeRefs({ runs, remotes }: Prunable): Promise<readonly string[]> {
  const ids = runs.map(({ run }) => run.id);
  const stayed = remotes.map(async ({ repository, refs, trouble, ...remote }) => {
    const its = ids.filter((id) => refs.has(id));
    const why = trouble ?? (await remote.remove(its));
    if (why === null) return [];
    return [`Their refs at ${repository} stay (${why}). To delete them: ${remote.command(its)}`];
  });
  return (await Promise.all(stayed)).flat();
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
  const { runs, all, olderThan, keep, takeOver, stateDir, workerDir } = flags;
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
    workerFolder: workerDir,
    all: all === true,
    olderThanMs: olderThan === undefined ? null : parseDurationFlag("--older-than", olderThan),
    keep: keep === undefined ? 0 : parseNumberOf("--keep", keep),
  };
}
