import { readSteps } from "../../log/logged-steps.ts";
import type { StepChanges } from "../../machine/step/step-changes.ts";
import { inspectErrors } from "../errors.ts";
import type { RunView } from "../run-view.ts";

export interface StepSnapshots extends StepChanges {
  readonly step: number;
  readonly agent: string;
  readonly state: string;
  readonly cwd: string;
}

/** Two snapshots to compare. */
export interface SnapshotRange {
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
export function snapshotRange(view: SnapshotView, wanted: string | undefined): SnapshotRange {
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
