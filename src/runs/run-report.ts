import { RaymondError } from "../core/errors.ts";
import { firstStep } from "../core/machine/run-state.ts";
import { type Lane, lanesOf } from "../observers/lanes.ts";
import type { LoggedStep } from "../observers/logged-steps.ts";
import { type ToldFailure, toldFailures } from "../observers/told-failures.ts";
import { type ToldQuestion, toldQuestions } from "../observers/told-questions.ts";
import { type Caller, thisProcess } from "./caller.ts";
import { type CostTable, costsOf } from "./costs.ts";
import { graph, type TitledGraph } from "./graph.ts";
import { sumsByAgent } from "./inspect.ts";
import { show } from "./show.ts";
import { type Why, why } from "./why.ts";
import type { Wanted } from "./wire/stores.ts";

/** What a page about a run tells: how it stands, how it got there, and what it has cost. */
export interface RunReport {
  readonly why: Why;
  /** When it was written, epoch ms: of a run that goes on it tells how it stood then. */
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
  readonly questions: readonly ToldQuestion[];
  readonly failures: readonly ToldFailure[];
  readonly costs: readonly CostTable[];
}

/**
 * Gathers what there is to tell of a run, also of one that goes on. What cannot
 * be had, an event log or a workflow that is gone, is left out; of a long run the
 * last 10,000 steps are read. Rejects with a RaymondError where there is no such run.
 */
export async function reportRun(
  wanted: Wanted,
  caller: Caller = thisProcess(),
): Promise<RunReport> {
  const told = await why(wanted, caller);
  const { run } = told.report;
  const at = told.report.now;
  const timeline = await show({ ...wanted, limit: MOST_STEPS }, caller).catch(orNull);
  const steps = timeline?.steps ?? [];
  const running = timeline?.running ?? new Set<number>();
  const first = steps[0]?.started.event.process;
  return {
    why: told,
    at,
    picture: await graph(wanted, caller).catch(orNull),
    ...{ steps, running },
    leftOut: (first ?? run.processes + 1) - firstStep(run),
    lanes: lanesOf(steps, running, at),
    questions: toldQuestions(steps),
    failures: toldFailures(steps, running),
    costs: costsOf(run, sumsByAgent(told.report)),
  };
}

const MOST_STEPS = 10_000;

function orNull(error: unknown): null {
  if (error instanceof RaymondError) return null;
  throw error;
}
