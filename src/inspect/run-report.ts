import { type Lane, lanesOf } from "../console/format/lanes.ts";
import { onUserError } from "../language/basics/errors.ts";
import { type LoggedFailure, loggedFailures } from "../log/logged-failures.ts";
import { type LoggedQuestion, loggedQuestions } from "../log/logged-questions.ts";
import type { LoggedStep } from "../log/logged-steps.ts";
import { firstStep } from "../machine/model/run-state.ts";
import { type Caller, thisProcess } from "../wire/caller.ts";
import type { Wanted } from "../wire/stores.ts";
import type { FileChange } from "../workspaces/changes.ts";
import { type CostTable, costsOf } from "./costs.ts";
import { runDiffOf } from "./files/run-diff.ts";
import { graphOfView, type TitledGraph } from "./graph.ts";
import { timelineOf } from "./history/show.ts";
import { readRun } from "./run-view.ts";
import { type Why, whyOf } from "./why.ts";

/** The page about a run: its status, its history and its cost. */
export interface RunReport {
  readonly why: Why;
  /** Time of writing, epoch ms. */
  readonly at: number;
  /** Its workflow with the path of the run; null if the workflow is gone. */
  readonly picture: TitledGraph | null;
  /** In the order of their starts. */
  readonly steps: readonly LoggedStep[];
  readonly running: ReadonlySet<number>;
  /** Number of first steps that are left out of `steps`, lanes, questions and failures. */
  readonly leftOut: number;
  readonly lanes: readonly Lane[];
  readonly questions: readonly LoggedQuestion[];
  readonly failures: readonly LoggedFailure[];
  readonly costs: readonly CostTable[];
  /** The files that the run changed. Null without snapshots, or if git cannot read them. */
  readonly changes: readonly FileChange[] | null;
}

/**
 * Gathers everything about a run, also while it is in progress. A missing event log or workflow is
 * left out. Reads at most the last 10,000 steps. Rejects with a RaymondError if there is no such
 * run.
 */
export async function reportRun(
  wanted: Wanted,
  caller: Caller = thisProcess(),
): Promise<RunReport> {
  const view = await readRun(wanted, caller);
  const { run } = view;
  const why = await whyOf(view, undefined, caller);
  const at = why.report.now;
  const timeline = await orNull(() => timelineOf(view, { limit: MOST_STEPS }, []));
  const steps = timeline?.steps ?? [];
  const running = timeline?.running ?? new Set<number>();
  const first = steps[0]?.started.event.process;
  return {
    ...{ why, at, steps, running },
    picture: await orNull(() => graphOfView(view, undefined, caller)),
    leftOut: (first ?? run.processes + 1) - firstStep(run),
    lanes: lanesOf(steps, running, at),
    questions: loggedQuestions(steps),
    failures: loggedFailures(steps, running),
    costs: costsOf(view),
    changes: await orNull(async () => (await runDiffOf(view, undefined, caller)).files),
  };
}

const MOST_STEPS = 10_000;

async function orNull<Value>(read: () => Value | Promise<Value>): Promise<Value | null> {
  return Promise.resolve()
    .then(read)
    .catch(onUserError(() => null));
}
