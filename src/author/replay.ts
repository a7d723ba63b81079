import path from "node:path";
import { LIMITS, readTextFile } from "../files/read-file.ts";
import { type RecordedRun, startsLater, withRecording } from "../inspect/history/recorded-run.ts";
import { readRun } from "../inspect/run-view.ts";
import type { MicroUsd } from "../language/basics/money.ts";
import type { Decision } from "../machine/decide/decision.ts";
import { stepName } from "../machine/model/gate.ts";
import { findAgent, inFlight } from "../machine/model/roster.ts";
import type { RunState } from "../machine/model/run-state.ts";
import type { RecordedInput } from "../machine/record/recording.ts";
import { type Caller, thisProcess } from "../wire/caller.ts";
import type { Wanted } from "../wire/stores.ts";
import { withLocalWorkflow } from "../wire/workflow.ts";
import { type ReEvaluateOptions, type ReEvaluation, reEvaluate } from "./re-evaluate.ts";
import { workflowPlace } from "./test-from-run.ts";
import { openTestedWorkflow } from "./tested-workflow.ts";

export interface ReplayOptions extends Wanted {
  /** Workflow to compare with (default: the current workflow of the run). */
  readonly workflow?: string | undefined;
}

export interface Replay {
  readonly run: RunState;
  /** Ended attempts, and the valid ones: those with the same prompt and consequence. */
  readonly attempts: number;
  readonly valid: number;
  readonly costMicroUsd: MicroUsd;
  readonly validMicroUsd: MicroUsd;
  /** Null: no divergence. */
  readonly divergence: Divergence | null;
  /** Prompts without a recorded text, so a change of them cannot be detected. */
  readonly unknownPrompts: number;
  /** Why the first steps are not compared, as the end of a sentence; null: all are. */
  readonly beginsLater: string | null;
}

/** The first attempt with another prompt or consequence. */
export interface Divergence {
  readonly agent: string;
  /** Full name. */
  readonly state: string;
  readonly process: number;
  /** If both have changed, the prompt is reported: its outcome would differ anyway. */
  readonly why:
    | { readonly kind: "prompt"; readonly recorded: string; readonly now: string }
    | { readonly kind: "decision"; readonly recorded: Decision; readonly now: Decision };
}

/**
 * Re-evaluates the recorded outcomes of a run against the current workflow, in order, up to the
 * first divergence. Runs and writes nothing. Uses the recorded output of scripts. Rejects with a
 * RaymondError if the record is incomplete.
 */
export async function replay(
  options: ReplayOptions,
  caller: Caller = thisProcess(),
): Promise<Replay> {
  const recorded = await withRecording(await readRun(options, caller));
  const { run, artifacts, store } = recorded;
  const { workflow } = options;
  const place =
    workflow === undefined
      ? workflowPlace(await withLocalWorkflow(run, store))
      : path.resolve(caller.cwd, workflow);
  const { scope } = await openTestedWorkflow(place);
  const judge = reEvaluate(run, scope, artifacts);
  const ends = endsOf(recorded);
  const sum = (of: readonly Ended[]) => of.reduce((all, { cost }) => all + cost, 0);
  const { recording } = recorded;
  const later = recording.options === null ? startsLater(recording) : null;
  let unknownPrompts = 0;
  for (const [index, end] of ends.entries()) {
    const judged = await judgeEnd(end, judge);
    const { divergence, unknown } = await compare(end, judged, artifacts.debug);
    if (unknown) unknownPrompts += 1;
    if (divergence === null) continue;
    const before = ends.slice(0, index);
    return {
      ...{ run, attempts: ends.length, valid: index, divergence, unknownPrompts },
      ...{ costMicroUsd: sum(ends), validMicroUsd: sum(before), beginsLater: later },
    };
  }
  const cost = sum(ends);
  return {
    ...{ run, attempts: ends.length, valid: ends.length, divergence: null, unknownPrompts },
    ...{ costMicroUsd: cost, validMicroUsd: cost, beginsLater: later },
  };
}

interface Ended {
  readonly input: Extract<RecordedInput["input"], { type: "ended" }>;
  readonly started: RunState;
  readonly cost: MicroUsd;
}

function endsOf({ recording }: RecordedRun): readonly Ended[] {
  /** The run at the start of each process. */
  const started = new Map<number, RunState>();
  const ends: Ended[] = [];
  for (const { input, before, after, events } of recording.moments.flatMap(
    ({ inputs }) => inputs,
  )) {
    for (const { activity } of inFlight(after)) {
      if (!started.has(activity.process)) started.set(activity.process, after);
    }
    if (input.type !== "ended") continue;
    const ended = events.find((event) => event.type === "step.ended");
    const cost = (ended?.costMicroUsd ?? 0) + (ended?.estimatedMicroUsd ?? 0);
    ends.push({ input, started: started.get(input.process) ?? before, cost });
  }
  return ends;
}

function judgeEnd({ input, started }: Ended, judge: ReEvaluateOptions): Promise<ReEvaluation> {
  const lost = input.decision.kind === "forget" ? "fresh" : "fail";
  return judge(started, input.agent, input.outcome, lost);
}

async function compare(
  { input, started }: Ended,
  { prompt, decision, debugName }: ReEvaluation,
  debug: string,
): Promise<{ readonly divergence: Divergence | null; readonly unknown: boolean }> {
  const { agent, process } = input;
  const at = { agent, process, state: stepName(findAgent(started, agent)) };
  const file = debugName === null ? null : path.join(debug, `${debugName}.prompt.md`);
  const sent =
    prompt === null || file === null
      ? null
      : await readTextFile(file, LIMITS.log).catch(() => null);
  if (prompt !== null && sent !== null && sent !== prompt) {
    const why = { kind: "prompt", recorded: sent, now: prompt } as const;
    return { divergence: { ...at, why }, unknown: false };
  }
  const unknown = prompt !== null && sent === null;
  if (JSON.stringify(decision) === JSON.stringify(input.decision)) {
    return { divergence: null, unknown };
  }
  const why = { kind: "decision", recorded: input.decision, now: decision } as const;
  return { divergence: { ...at, why }, unknown };
}
