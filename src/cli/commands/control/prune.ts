import type { Command } from "commander";
import { parseCount, parseDurationFlag } from "../../../config/flags.ts";
import { formatBytes } from "../../../language/basics/bytes.ts";
import { counted } from "../../../language/basics/counted.ts";
import { printable } from "../../../log/printable.ts";
import {
  type LeftRun,
  type Prunable,
  type PrunableRun,
  type PruneOptions,
  prunable,
} from "../../../run/prune.ts";
import { actionOnRuns, runSelection, TAKE_OVER } from "../../parse/options.ts";
import type { Shell } from "../../shell.ts";
import { confirm } from "../../tty.ts";
import { cliErrors } from "../../words/errors.ts";
import { RUN_COLUMNS, runCells } from "../../words/run-table.ts";
import { type Column, fitTable } from "../../words/table.ts";
import { leftWorktreeWords } from "../../words/worktree-words.ts";

export function define(command: Command, shell: Shell): void {
  command
    .argument("[run...]", "Runs to delete, whatever their status (default: completed runs)")
    .option("--all", "Also delete runs that could still be resumed")
    .option("--older-than <duration>", "Only runs unchanged for DURATION, e.g. 14d")
    .option("--keep <n>", "Keep the N runs that changed last")
    .option(...TAKE_OVER)
    .option(
      "--worker-dir <dir>",
      "State directory of a fleet's worker on this machine (default: .raymond)",
    )
    .option("--dry-run", "List what would be deleted")
    .option("-y, --yes", "Do not ask for confirmation");
  runSelection(command).action(actionOnRuns(shell, pruneCommand));
}

interface PruneFlags {
  readonly run: readonly string[];
  readonly takeOver?: true;
  readonly all?: true;
  readonly olderThan?: string;
  readonly keep?: string;
  readonly dryRun?: true;
  readonly yes?: true;
  readonly stateDir?: string;
  readonly workerDir?: string;
}

/** At a terminal it asks first. Without one, `--all` needs `--yes`. A locked run is never deleted. */
export async function pruneCommand(flags: PruneFlags, shell: Shell): Promise<void> {
  const found = await prunable(pruneOptions(flags), shell);
  const { runs, left } = found;
  if (runs.length + left.length === 0) {
    shell.err.line("Nothing to delete.");
    return;
  }
  const bytes = [...runs, ...left].reduce((sum, one) => sum + one.bytes, 0);
  const all = `${countOf(found)}, ${formatBytes(bytes)}`;
  const lines = (verb: string) => [
    ...formatRuns(runs, verb, shell),
    ...left.map((one) => leftLine(one, verb)),
  ];

  if (flags.dryRun === true) {
    for (const line of await withWorktrees(lines("would delete"), found)) shell.out.line(line);
    for (const line of refLines(found)) shell.err.line(printable(line));
    shell.err.line(`Total: ${all}.`);
    return;
  }
  if (flags.yes !== true && flags.all === true && shell.ask === null) {
    throw cliErrors["cli/unconfirmed"]();
  }
  if (flags.yes !== true && shell.ask !== null) {
    for (const line of await withWorktrees(lines(""), found)) shell.err.line(line);
    for (const line of refLines(found)) shell.err.line(printable(line));
    if (!(await confirm(shell.ask, `Delete ${all}?`))) {
      shell.err.line("Nothing was deleted.");
      return;
    }
  }
  const deleted = lines("deleted");
  for (const [index, { remove }] of runs.entries()) {
    const saved = await remove();
    shell.out.line(deleted[index] ?? "");
    for (const ref of saved) shell.err.line(printable(`  saved uncommitted files: ${ref}`));
  }
  for (const [index, { remove }] of left.entries()) {
    await remove();
    shell.out.line(deleted[runs.length + index] ?? "");
  }
  for (const line of await removeRefs(found)) shell.err.line(printable(line));
  shell.err.line(`Freed: ${all}.`);
}

async function withWorktrees(
  lines: readonly string[],
  { runs }: Prunable,
): Promise<readonly string[]> {
  const all: string[] = [];
  for (const [index, line] of lines.entries()) {
    const worktrees = (await runs[index]?.worktrees()) ?? [];
    all.push(line, ...worktrees.map((each) => printable(leftWorktreeWords(each))));
  }
  return all;
}

function countOf({ runs, left }: Prunable): string {
  const known = runs.length === 0 && left.length > 0 ? [] : [counted(runs.length, "run")];
  const gone = left.length === 0 ? [] : [`the remains of ${counted(left.length, "run")}`];
  return [...known, ...gone].join(" and ");
}

/** Files on this machine of a run that its fleet has deleted. */
function leftLine({ id, bytes }: LeftRun, verb: string): string {
  return [verb, "remains of", id, formatBytes(bytes)].filter(Boolean).join("  ");
}

function refLines({ remotes }: Prunable): readonly string[] {
  return remotes.flatMap(({ repository, refs, trouble }) => {
    if (trouble !== null)
      return [`The refs of these runs in ${repository} would be kept (${trouble}).`];
    const count = [...refs.values()].reduce((sum, each) => sum + each, 0);
    return count === 0 ? [] : [`Also ${counted(count, "ref")} in ${repository}.`];
  });
}

/** Deletes the refs of deleted runs. Returns a line for each repository where they had to be kept. */
async function removeRefs({ runs, remotes }: Prunable): Promise<readonly string[]> {
  const ids = runs.map(({ run }) => run.id);
  const kept = remotes.map(async ({ repository, refs, trouble, ...remote }) => {
    const its = ids.filter((id) => refs.has(id));
    const why = trouble ?? (await remote.remove(its));
    if (why === null) return [];
    return [
      `Their refs in ${repository} were kept (${why}). To delete them: ${remote.command(its)}`,
    ];
  });
  return (await Promise.all(kept)).flat();
}

function formatRuns(
  found: readonly PrunableRun[],
  verb: string,
  { now, cwd, outColumns }: Shell,
): readonly string[] {
  // Full IDs: short ones are unique within one state directory only.
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
  const { run: runs, all, olderThan, keep, takeOver, stateDir, workerDir } = flags;
  const rules = { "--all": all, "--older-than": olderThan, "--keep": keep };
  const [flag] = Object.entries(rules).find(([, value]) => value !== undefined) ?? [];
  if (runs.length > 0 && flag !== undefined) {
    throw cliErrors["cli/flag-conflict"](
      `${flag} cannot be combined with run IDs.`,
      `Use either run IDs or ${flag}.`,
    );
  }
  if (runs.length === 0 && takeOver !== undefined) {
    throw cliErrors["cli/flag-conflict"](
      "--take-over needs run IDs.",
      "Use: raymond prune RUN --take-over",
    );
  }
  return {
    runs,
    takeOver,
    stateDir,
    workerFolder: workerDir,
    all: all === true,
    olderThanMs: olderThan === undefined ? null : parseDurationFlag("--older-than", olderThan),
    keep: keep === undefined ? 0 : parseCount("--keep", keep),
  };
}
