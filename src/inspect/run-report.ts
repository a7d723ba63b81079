import { type Lane, lanesOf } from "../console/format/lanes.ts";
import { RaymondError } from "../language/basics/errors.ts";
import { type LoggedFailure, loggedFailures } from "../log/logged-failures.ts";
import { type LoggedQuestion, loggedQuestions } from "../log/logged-questions.ts";
import type { LoggedStep } from "../log/logged-steps.ts";
import { firstStep } from "../machine/run-state.ts";
import { type Caller, thisProcess } from "../wire/caller.ts";
import type { Wanted } from "../wire/stores.ts";
import { type CostTable, costsOf } from "./costs.ts";
import { graph, type TitledGraph } from "./graph.ts";
import { show } from "./history/show.ts";
import { sumsByAgent } from "./inspect.ts";
import { type Why, why } from "./why.ts";

/** The page about a run: its status, its history and its cost. */
export interface RunReport {
  readonly why: Why;
  /** Time of writing, epoch ms. */
  readonly at: number;
  /** Its workflow with what was taken; null where that is gone. */
  readonly picture: TitledGraph | null;
  /** In the order of their starts, the newest last. */
  readonly steps: readonly LoggedStep[];
  /** The numbers of those that run. */
  readonly running: ReadonlySet<number>;
  /** The first steps, which are left out of `steps`, and of the lanes, questions and failures. */
  readonly leftOut: number;
  readonly lanes: readonly Lane[];
  readonly questions: readonly LoggedQuestion[];
  readonly failures: readonly LoggedFailure[];
  readonly costs: readonly CostTable[];
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
  const explained = await why(wanted, caller);
  const { run } = explained.report;
  const at = explained.report.now;
  const timeline = await show({ ...wanted, limit: MOST_STEPS }, caller).catch(orNull);
  const steps = timeline?.steps ?? [];
  const running = timeline?.running ?? new Set<number>();
  const first = steps[0]?.started.event.process;
  return {
    why: explained,
    at,
    picture: await graph(wanted, caller).catch(orNull),
    ...{ steps, running },
    leftOut: (first ?? run.processes + 1) - firstStep(run),
    lanes: lanesOf(steps, running, at),
    questions: loggedQuestions(steps),
    failures: loggedFailures(steps, running),
    costs: costsOf(run, sumsByAgent(explained.report)),
  };
}

const MOST_STEPS = 10_000;

function orNull(error: unknown): null {
  if (error instanceof RaymondError) return null;
  throw error;
}
