import { type Caller, thisProcess } from "../../wire/caller.ts";
import { inherited } from "../../wire/engine/inherited.ts";
import type { Wanted } from "../../wire/stores.ts";
import type { ForegroundCall, ForegroundEnd } from "../../wire/system/foreground.ts";
import { type FileChange, fileChanges } from "../../workspaces/changes.ts";
import { gitArguments } from "../../workspaces/git.ts";
import type { PlainGit } from "../../workspaces/plain-git.ts";
import { type RunView, readLastKnown } from "../run-view.ts";
import { readingFiles } from "./run-files.ts";
import { type SnapshotRange, snapshotRange } from "./snapshot-range.ts";

export interface RunDiffOptions extends Wanted {
  /** A step or a range of steps; default: the whole run. */
  readonly steps?: string | undefined;
  /** Only the names and numbers of lines. */
  readonly stat?: boolean | undefined;
}

/** What steps of a run changed in its files. */
export interface RunDiff extends SnapshotRange {
  readonly run: string;
  readonly files: readonly FileChange[];
}

/** Rejects with a RaymondError if the steps have no snapshots. */
export async function runDiff(
  options: RunDiffOptions,
  caller: Caller = thisProcess(),
): Promise<RunDiff> {
  return runDiffOf(await readLastKnown(options, caller), options.steps, caller);
}

export async function runDiffOf(
  view: RunView,
  steps: string | undefined,
  caller: Caller,
): Promise<RunDiff> {
  const range = snapshotRange(view, steps);
  const files = await reading(view, range, caller, (plain) =>
    fileChanges(range.from, range.to, plain),
  );
  return { run: view.id, ...range, files };
}

/** The diff as text, without color. */
export async function runDiffText(
  options: RunDiffOptions,
  caller: Caller = thisProcess(),
): Promise<string> {
  const { view, range } = await rangeIn(options, caller);
  return reading(view, range, caller, ({ git, call }) =>
    git.run(diffArguments(range, options), call()),
  );
}

/** Shows the diff in the terminal, with the pager and the colors that git is configured for. */
export async function showRunDiff(
  options: RunDiffOptions,
  foreground: (call: ForegroundCall) => Promise<ForegroundEnd>,
  caller: Caller,
): Promise<ForegroundEnd> {
  const { view, range } = await rangeIn(options, caller);
  return reading(view, range, caller, ({ call }) => {
    const { cwd, env } = call();
    return foreground({
      command: "git",
      args: gitArguments(diffArguments(range, options)),
      cwd,
      env: { ...inherited(caller.env), ...env },
      onStart: () => undefined,
    });
  });
}

async function rangeIn(options: RunDiffOptions, caller: Caller) {
  const view = await readLastKnown(options, caller);
  return { view, range: snapshotRange(view, options.steps) };
}

function reading<T>(
  { run }: Pick<RunView, "run">,
  { cwd }: SnapshotRange,
  caller: Caller,
  act: (plain: PlainGit) => Promise<T>,
): Promise<T> {
  return readingFiles([cwd, run.launchDir, caller.cwd], caller, act);
}

function diffArguments(
  { from, to }: SnapshotRange,
  { stat = false }: RunDiffOptions,
): readonly string[] {
  const safe = ["--no-ext-diff", "--no-textconv", "--ignore-submodules=all"];
  return ["diff", ...safe, ...(stat ? ["--stat"] : []), "--end-of-options", from, to, "--"];
}
