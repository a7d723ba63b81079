import path from "node:path";
import type { AgentId } from "../core/machine/agent.ts";
import { type RunState, spent } from "../core/machine/run-state.ts";
import { NO_SUMS, type Sums } from "../core/machine/sums.ts";
import { stemOf } from "../core/workflow/state-name.ts";
import { lanesOf } from "../observers/lanes.ts";
import type { LoggedStep } from "../observers/logged-steps.ts";
import { type TakenWay, waysOf } from "../observers/taken-ways.ts";
import { toldFailures } from "../observers/told-failures.ts";
import { type Caller, thisProcess } from "./caller.ts";
import { OtherWorkflowError } from "./history-errors.ts";
import type { ShownStatus } from "./inspect.ts";
import { show, type Timeline } from "./show.ts";
import type { Place } from "./wire/stores.ts";

/** Two runs, each named as for `inspect`. */
export interface DiffOptions extends Place {
  readonly run: string;
  readonly other: string;
}

/** Two runs of one workflow beside each other. */
export interface RunsDiff {
  readonly left: ComparedRun;
  readonly right: ComparedRun;
  /** Of each agent that went another way, the first step that did; the one that departed first is the first. None: they went the same way. */
  readonly departures: readonly RunsDeparture[];
  /** What each state has cost and taken, in the order in which the runs have them. */
  readonly states: readonly StateDiff[];
  /** Agents that both have, and whose results are not the same text. */
  readonly otherResults: readonly AgentId[];
}

export interface ComparedRun {
  readonly run: RunState;
  readonly status: ShownStatus;
  /** How the user calls raymond for this run. */
  readonly program: string;
  readonly agents: number;
  /** Attempts that did not succeed. */
  readonly failures: number;
  readonly spentMicroUsd: number;
  /** Sum of the time of all steps, ms. */
  readonly workedMs: number;
  /** From its first start to its last end, ms. */
  readonly elapsedMs: number;
  /** A process goes on with it, so it may yet come to the same; of one that is held elsewhere nobody knows here. */
  readonly goesOn: boolean;
}

/** Where an agent went another way. */
export interface RunsDeparture {
  readonly agent: AgentId;
  /** So many steps were the same before. */
  readonly same: number;
  /** What each did instead; null where it did nothing more. */
  readonly left: TakenWay | null;
  readonly right: TakenWay | null;
  /** The ways of both around it, in their order. */
  readonly around: { readonly left: readonly TakenWay[]; readonly right: readonly TakenWay[] };
}

export interface StateDiff {
  readonly state: string;
  readonly left: Sums;
  readonly right: Sums;
}

/** Compares two runs by what their event logs tell. Rejects with a RaymondError where one is not there, or they are of different workflows. */
export async function diffRuns(
  { run, other, ...place }: DiffOptions,
  caller: Caller = thisProcess(),
): Promise<RunsDiff> {
  const all = { limit: Number.POSITIVE_INFINITY, ...place };
  const left = await show({ ...all, run }, caller);
  const right = await show({ ...all, run: other }, caller);
  requireSameWorkflow(left.run, right.run);
  const now = caller.now();
  return {
    left: comparedRun(left, now),
    right: comparedRun(right, now),
    departures: departuresOf(waysIn(left, right), waysIn(right, left)),
    states: statesOf(left.run, right.run),
    otherResults: Object.entries(left.run.results).flatMap(([agent, result]) => {
      const there = right.run.results[agent];
      return there === undefined || there === result ? [] : agent;
    }),
  };
}

/** By the name of what was started: a copy elsewhere is the same one, as far as anybody knows. */
function requireSameWorkflow(left: RunState, right: RunState): void {
  const [one, two] = [left, right].map(({ workflow }) => stemOf(path.basename(workflow.path)));
  if (one !== two) throw new OtherWorkflowError(left, right);
}

function comparedRun({ run, status, program, steps, running }: Timeline, now: number): ComparedRun {
  const lanes = lanesOf(steps, running, now);
  const ends = lanes.flatMap(({ spans }) => spans.map(({ to }) => to));
  const first = steps[0]?.started.at ?? 0;
  return {
    run,
    status,
    program,
    agents: lanes.length,
    failures: toldFailures(steps, running).length,
    spentMicroUsd: spent(run),
    workedMs: lanes.reduce((sum, { workedMs }) => sum + workedMs, 0),
    elapsedMs: ends.reduce((most, end) => Math.max(most, end), first) - first,
    goesOn: running.size > 0 && status !== "held",
  };
}

/** The ways of a run; of a rerun of the other one also those that it was begun behind, which it has not gone again. */
function waysIn({ run: { origin }, steps }: Timeline, other: Timeline): Ways {
  if (origin?.run !== other.run.id) return waysOf(steps);
  return waysOf([...stepsBefore(other.steps, origin.step), ...steps]);
}

/** What had come of steps when this one began. */
function stepsBefore(steps: readonly LoggedStep[], step: number): readonly LoggedStep[] {
  const begin = steps.find(({ started }) => started.event.process === step)?.started.seq ?? 0;
  return steps
    .filter(({ started }) => started.seq < begin)
    .map((before) => ({ ...before, after: before.after.filter(({ seq }) => seq < begin) }));
}

type Ways = ReadonlyMap<AgentId, readonly TakenWay[]>;

function departuresOf(left: Ways, right: Ways): readonly RunsDeparture[] {
  const agents = [...new Set([...left.keys(), ...right.keys()])];
  return agents
    .flatMap((agent) => departureOf(agent, left.get(agent) ?? [], right.get(agent) ?? []) ?? [])
    .toSorted((a, b) => firstStep(a) - firstStep(b));
}

function departureOf(
  agent: AgentId,
  left: readonly TakenWay[],
  right: readonly TakenWay[],
): RunsDeparture | null {
  const longest = Math.max(left.length, right.length);
  let same = 0;
  while (same < longest && isSame(left[same], right[same])) same += 1;
  if (same === longest) return null;
  const around = (ways: readonly TakenWay[]) =>
    ways.slice(Math.max(0, same - BEFORE), same + BEHIND);
  return {
    ...{ agent, same },
    left: left[same] ?? null,
    right: right[same] ?? null,
    around: { left: around(left), right: around(right) },
  };
}

/** So many ways are told before a departure, and behind it. */
const BEFORE = 3;
const BEHIND = 6;

function isSame(one: TakenWay | undefined, two: TakenWay | undefined): boolean {
  return one?.state === two?.state && one?.way === two?.way;
}

function firstStep({ left, right }: RunsDeparture): number {
  return Math.min(left?.step ?? Number.POSITIVE_INFINITY, right?.step ?? Number.POSITIVE_INFINITY);
}

function statesOf({ sums: left }: RunState, { sums: right }: RunState): readonly StateDiff[] {
  const names = [...new Set([...Object.keys(left.states), ...Object.keys(right.states)])];
  return names.map((state) => ({
    state,
    left: left.states[state] ?? NO_SUMS,
    right: right.states[state] ?? NO_SUMS,
  }));
}
