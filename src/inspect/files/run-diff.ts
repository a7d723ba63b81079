import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { readSteps } from "../../log/logged-steps.ts";
import { printable } from "../../log/printable.ts";
import type { StepChanges } from "../../machine/model/step-changes.ts";
import type { Caller } from "../../wire/caller.ts";
import { inherited } from "../../wire/engine/inherited.ts";
import type { Wanted } from "../../wire/stores.ts";
import type { ForegroundCall, ForegroundEnd } from "../../wire/system/foreground.ts";
import { type FileChange, fileChanges } from "../../workspaces/changes.ts";
import type { PlainGit } from "../../workspaces/plain-git.ts";
import { inspectErrors } from "../errors.ts";
import { type RunView, readLastKnown } from "../run-view.ts";
import { readingFiles } from "./run-files.ts";

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
export async function runDiff(options: RunDiffOptions, caller: Caller): Promise<RunDiff> {
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
export async function runDiffText(options: RunDiffOptions, caller: Caller): Promise<string> {
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
  return reading(view, range, caller, async ({ git, call }) => {
    const [name = "", ...rest] = diffArguments(range, options);
    const text = await git.run([name, "--color=always", ...rest], call());
    const env = inherited(caller.env);
    const own = env["GIT_PAGER"] ?? (await git.run(["var", "GIT_PAGER"], call()));
    const folder = await mkdtemp(path.join(tmpdir(), "raymond-diff-"));
    try {
      const file = path.join(folder, "diff");
      await writeFile(file, text === "" ? "" : `${printableDiff(text)}\n`);
      const [command, args] =
        process.platform === "win32"
          ? ["cmd.exe", ["/d", "/c", "type", file]]
          : ["sh", ["-c", `{ ${own.trim() || "cat"}\n} <"$0"`, file]];
      // As git sets them for its pager.
      const paging = { LESS: "FRX", LV: "-c", ...env };
      return await foreground({
        command,
        args,
        cwd: folder,
        env: paging,
        onStart: () => undefined,
      });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
}

/** Keeps the colors of git, and escapes all other control characters of the files. */
export function printableDiff(text: string): string {
  const lines = text.split("\n").map((line) =>
    line
      .split(COLORS)
      .map((part, index) => (index % 2 === 1 ? part : part.split("\t").map(printable).join("\t")))
      .join(""),
  );
  return lines.join("\n");
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences of colors
const COLORS = /(\x1b\[[0-9;]*m)/;

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

interface StepSnapshots extends StepChanges {
  readonly step: number;
  readonly agent: string;
  readonly state: string;
  readonly cwd: string;
}

/** Two snapshots to compare. */
interface SnapshotRange {
  readonly from: string;
  readonly to: string;
  /** A folder of the working tree. */
  readonly cwd: string;
  /** The steps between them. */
  readonly steps: readonly StepSnapshots[];
}

type SnapshotView = Pick<RunView, "run" | "artifacts">;

/** The snapshots of a run, in the order of their steps. */
export function stepSnapshots({ artifacts }: SnapshotView): readonly StepSnapshots[] {
  const query = { matches: () => true, limit: Number.POSITIVE_INFINITY, withActivity: false };
  try {
    return readSteps(artifacts.events, query).steps.flatMap(({ started, ended }) => {
      const changes = ended?.event.changes;
      if (changes === undefined) return [];
      const { agent, state, cwd, process: step } = started.event;
      return [{ step, agent, state, cwd, ...changes }];
    });
  } catch {
    // Without an event log, no snapshot is known.
    return [];
  }
}

/** Whether a word names steps: `3`, `3..7`, `3..`, `..7`. */
export function isStepRange(word: string): boolean {
  return /^(\d{1,15}|\d{0,15}\.\.\d{0,15})$/.test(word);
}

/**
 * The snapshots before the first and after the last of these steps. Without `wanted`, of all steps in the folder of
 * the run. Throws a RaymondError if a step has no snapshot.
 */
function snapshotRange(view: SnapshotView, wanted: string | undefined): SnapshotRange {
  const { run } = view;
  if (wanted !== undefined && !isStepRange(wanted)) throw inspectErrors["cli/bad-steps"](wanted);
  const all = stepSnapshots(view);
  if (all.length === 0) throw inspectErrors["run/no-snapshots"](run.id, run.settings.snapshots);
  const [first = "", last = first] = wanted === undefined ? ["", ""] : wanted.split("..");
  if (wanted !== undefined && !wanted.includes("..")) return single(all, Number(first), view);
  const main = all.find(({ cwd }) => cwd === run.launchDir) ?? all[0];
  const begin = first === "" ? main : found(all, Number(first), view);
  const end =
    last === "" ? all.findLast(({ cwd }) => cwd === begin?.cwd) : found(all, Number(last), view);
  if (begin === undefined || end === undefined || end.step < begin.step)
    throw inspectErrors["cli/bad-steps"](wanted ?? "");
  const steps = all.filter(({ step }) => step >= begin.step && step <= end.step);
  return { from: begin.base, to: end.snapshot, cwd: begin.cwd, steps };
}

function single(all: readonly StepSnapshots[], step: number, view: SnapshotView): SnapshotRange {
  const one = found(all, step, view);
  return { from: one.base, to: one.snapshot, cwd: one.cwd, steps: [one] };
}

/** Throws a RaymondError for a step without a snapshot. */
export function found(
  all: readonly StepSnapshots[],
  step: number,
  { run }: SnapshotView,
): StepSnapshots {
  const one = all.find((each) => each.step === step);
  if (one !== undefined) return one;
  if (step < 1 || step > run.processes) throw inspectErrors["run/unknown-step"](run, step, null);
  throw inspectErrors["run/no-snapshot"](
    run.id,
    step,
    all.map((each) => each.step),
  );
}
