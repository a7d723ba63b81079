import path from "node:path";
import { lanesOf } from "../../console/format/lanes.ts";
import { stemOf } from "../../language/workflow/files/state-name.ts";
import { type AgentMove, movesByAgent, type RunsDivergence } from "../../log/agent-moves.ts";
import { loggedFailures } from "../../log/logged-failures.ts";
import type { LoggedStep } from "../../log/logged-steps.ts";
import type { AgentId } from "../../machine/model/agent.ts";
import { type RunState, spent } from "../../machine/model/run-state.ts";
import { NO_TOTALS, type Totals } from "../../machine/model/totals.ts";
import { type Caller, thisProcess } from "../../wire/caller.ts";
import type { Place } from "../../wire/stores.ts";
import { inspectErrors } from "../errors.ts";
import type { ShownStatus } from "../run-view.ts";
import { show, type Timeline } from "./show.ts";

export interface DiffOptions extends Place {
  readonly run: string;
  readonly other: string;
}

export interface RunsDiff {
  readonly left: ComparedRun;
  readonly right: ComparedRun;
  /** The first different step of each agent, in order of these steps. */
  readonly divergences: readonly RunsDivergence[];
  readonly states: readonly StateDiff[];
  /** Agents of both with different results. */
  readonly otherResults: readonly AgentId[];
}

export interface ComparedRun {
  readonly run: RunState;
  readonly status: ShownStatus;
  readonly program: string;
  readonly agents: number;
  readonly failures: number;
  readonly spentMicroUsd: number;
  /** Sum of all steps, ms. */
  readonly workedMs: number;
  /** From the first start to the last end, ms. */
  readonly elapsedMs: number;
  /** A process drives it, so it can still reach the same steps. */
  readonly inProgress: boolean;
}

export interface StateDiff {
  readonly state: string;
  readonly left: Totals;
  readonly right: Totals;
}

/**
 * Compares two runs by their event logs. Rejects with a RaymondError if one is missing, or if their
 * workflows differ.
 */
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
    divergences: divergencesOf(movesOf(left, right), movesOf(right, left)),
    states: statesOf(left.run, right.run),
    otherResults: Object.entries(left.run.results).flatMap(([agent, result]) => {
      const there = right.run.results[agent];
      return there === undefined || there === result ? [] : agent;
    }),
  };
}

/** By name: a copy in another folder counts as the same workflow. */
function requireSameWorkflow(left: RunState, right: RunState): void {
  const [one, two] = [left, right].map(({ workflow }) => stemOf(path.basename(workflow.path)));
  if (one !== two) throw inspectErrors["run/other-workflow"](left, right);
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
    failures: loggedFailures(steps, running).length,
    spentMicroUsd: spent(run),
    workedMs: lanes.reduce((sum, { workedMs }) => sum + workedMs, 0),
    elapsedMs: ends.reduce((most, end) => Math.max(most, end), first) - first,
    inProgress: running.size > 0 && status !== "held",
  };
}

/** The path of a run; for a rerun of the other run also the steps before its start. */
function movesOf({ run: { origin }, steps }: Timeline, other: Timeline): Moves {
  if (origin?.run !== other.run.id) return movesByAgent(steps);
  return movesByAgent([...stepsBefore(other.steps, origin.step), ...steps]);
}

/** Steps and their consequences before step number `step` started. */
function stepsBefore(steps: readonly LoggedStep[], step: number): readonly LoggedStep[] {
  const begin = steps.find(({ started }) => started.event.process === step)?.started.seq ?? 0;
  return steps
    .filter(({ started }) => started.seq < begin)
    .map((before) => ({ ...before, after: before.after.filter(({ seq }) => seq < begin) }));
}

type Moves = ReadonlyMap<AgentId, readonly AgentMove[]>;

function divergencesOf(left: Moves, right: Moves): readonly RunsDivergence[] {
  const agents = [...new Set([...left.keys(), ...right.keys()])];
  return agents
    .flatMap((agent) => divergenceOf(agent, left.get(agent) ?? [], right.get(agent) ?? []) ?? [])
    .toSorted((a, b) => firstStep(a) - firstStep(b));
}

function divergenceOf(
  agent: AgentId,
  left: readonly AgentMove[],
  right: readonly AgentMove[],
): RunsDivergence | null {
  const longest = Math.max(left.length, right.length);
  let same = 0;
  while (same < longest && isSame(left[same], right[same])) same += 1;
  if (same === longest) return null;
  const around = (moves: readonly AgentMove[]) =>
    moves.slice(Math.max(0, same - BEFORE), same + BEHIND);
  return {
    ...{ agent, same },
    left: left[same] ?? null,
    right: right[same] ?? null,
    around: { left: around(left), right: around(right) },
  };
}

/** Maximum number of moves shown before and after a divergence. */
const BEFORE = 3;
const BEHIND = 6;

function isSame(one: AgentMove | undefined, two: AgentMove | undefined): boolean {
  return one?.state === two?.state && one?.way === two?.way;
}

function firstStep({ left, right }: RunsDivergence): number {
  return Math.min(left?.step ?? Number.POSITIVE_INFINITY, right?.step ?? Number.POSITIVE_INFINITY);
}

function statesOf({ sums: left }: RunState, { sums: right }: RunState): readonly StateDiff[] {
  const names = [...new Set([...Object.keys(left.states), ...Object.keys(right.states)])];
  return names.map((state) => ({
    state,
    left: left.states[state] ?? NO_TOTALS,
    right: right.states[state] ?? NO_TOTALS,
  }));
}
