import path from "node:path";
import type { Decision } from "../core/machine/decision.ts";
import { stepName } from "../core/machine/gate.ts";
import type { RecordedInput } from "../core/machine/recording.ts";
import { findAgent, inFlight } from "../core/machine/roster.ts";
import type { RunState } from "../core/machine/run-state.ts";
import type { MicroUsd } from "../core/money.ts";
import { LIMITS, readTextFile } from "../files/read-file.ts";
import { type Caller, thisProcess } from "./caller.ts";
import { beginsLater, type RecordedRun, readRecordedRun } from "./recorded-run.ts";
import { workflowPlace } from "./test-from-run.ts";
import { withFilesHere } from "./wire/files-here.ts";
import { type JudgeAnew, type JudgedAnew, judgeAnew } from "./wire/judge-anew.ts";
import type { Wanted } from "./wire/stores.ts";
import { openTestedWorkflow } from "./wire/tested-workflow.ts";

export interface ReplayOptions extends Wanted {
  /** Another workflow to judge by, in place of the run's own as it is now. */
  readonly workflow?: string | undefined;
}

/** What of a run would come about once more, by its workflow as it is now. */
export interface Replay {
  readonly run: RunState;
  /** Attempts that have ended, and those of them that would mean the same still. */
  readonly attempts: number;
  readonly valid: number;
  /** What they have cost. */
  readonly costMicroUsd: MicroUsd;
  readonly validMicroUsd: MicroUsd;
  /** Null: all is as it was. */
  readonly departure: Departure | null;
  /** Prompts that were sent and are not kept, so that nobody knows whether they would be the same. */
  readonly unknownPrompts: number;
  /** Why its first steps are not judged, as the end of a sentence; null: all are. */
  readonly beginsLater: string | null;
}

/** The first attempt that would go another way. */
export interface Departure {
  readonly agent: string;
  /** Its state, by its full name. */
  readonly state: string;
  readonly process: number;
  /** Where both have changed it is the prompt that tells: its outcome would be another. */
  readonly why:
    | { readonly kind: "prompt"; readonly recorded: string; readonly now: string }
    | { readonly kind: "decision"; readonly recorded: Decision; readonly now: Decision };
}

/**
 * Judges the recorded outcomes of a run anew, in the order in which they arrived,
 * by its workflow as it is now, up to the first that would go another way.
 * Nothing is run, and nothing is written. What scripts would print now nobody
 * knows: what they have printed is judged. Rejects with a RaymondError where the
 * run lacks what this needs.
 */
export async function replay(
  options: ReplayOptions,
  caller: Caller = thisProcess(),
): Promise<Replay> {
  const recorded = await readRecordedRun(options, caller);
  const { run, artifacts } = recorded;
  const { workflow } = options;
  const place =
    workflow === undefined
      ? workflowPlace(await withFilesHere(run, caller))
      : path.resolve(caller.cwd, workflow);
  const { scope } = await openTestedWorkflow(place);
  const judge = judgeAnew(run, scope, artifacts.workflows);
  const ends = endsOf(recorded);
  const sum = (of: readonly Ended[]) => of.reduce((all, { cost }) => all + cost, 0);
  const { recording } = recorded;
  const later = recording.beginning === null ? beginsLater(recording) : null;
  let unknownPrompts = 0;
  for (const [index, end] of ends.entries()) {
    const judged = await judgeEnd(end, judge);
    const { departure, unknown } = await compare(end, judged, artifacts.debug);
    if (unknown) unknownPrompts += 1;
    if (departure === null) continue;
    const before = ends.slice(0, index);
    return {
      ...{ run, attempts: ends.length, valid: index, departure, unknownPrompts },
      ...{ costMicroUsd: sum(ends), validMicroUsd: sum(before), beginsLater: later },
    };
  }
  const cost = sum(ends);
  return {
    ...{ run, attempts: ends.length, valid: ends.length, departure: null, unknownPrompts },
    ...{ costMicroUsd: cost, validMicroUsd: cost, beginsLater: later },
  };
}

/** An attempt that has ended, the run in which it began, and what it has cost. */
interface Ended {
  readonly input: Extract<RecordedInput["input"], { type: "ended" }>;
  readonly begun: RunState;
  readonly cost: MicroUsd;
}

function endsOf({ recording }: RecordedRun): readonly Ended[] {
  /** The run as it was when each process began. */
  const begun = new Map<number, RunState>();
  const ends: Ended[] = [];
  for (const { input, before, after, events } of recording.moments.flatMap(
    ({ inputs }) => inputs,
  )) {
    for (const { activity } of inFlight(after)) {
      if (!begun.has(activity.process)) begun.set(activity.process, after);
    }
    if (input.type !== "ended") continue;
    const told = events.find((event) => event.type === "step.ended");
    const cost = (told?.costMicroUsd ?? 0) + (told?.estimatedMicroUsd ?? 0);
    ends.push({ input, begun: begun.get(input.process) ?? before, cost });
  }
  return ends;
}

function judgeEnd({ input, begun }: Ended, judge: JudgeAnew): Promise<JudgedAnew> {
  const lost = input.decision.kind === "forget" ? "fresh" : "fail";
  return judge(begun, input.agent, input.outcome, lost);
}

async function compare(
  { input, begun }: Ended,
  { prompt, decision, debugName }: JudgedAnew,
  debug: string,
): Promise<{ readonly departure: Departure | null; readonly unknown: boolean }> {
  const { agent, process } = input;
  const at = { agent, process, state: stepName(findAgent(begun, agent)) };
  const file = debugName === null ? null : path.join(debug, `${debugName}.prompt.md`);
  const sent =
    prompt === null || file === null
      ? null
      : await readTextFile(file, LIMITS.log).catch(() => null);
  if (prompt !== null && sent !== null && sent !== prompt) {
    const why = { kind: "prompt", recorded: sent, now: prompt } as const;
    return { departure: { ...at, why }, unknown: false };
  }
  const unknown = prompt !== null && sent === null;
  if (JSON.stringify(decision) === JSON.stringify(input.decision)) {
    return { departure: null, unknown };
  }
  const why = { kind: "decision", recorded: input.decision, now: decision } as const;
  return { departure: { ...at, why }, unknown };
}
