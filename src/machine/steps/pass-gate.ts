import { fullName } from "../../language/protocol/address.ts";
import type { Decision } from "../decide/decision.ts";
import type { Agent } from "../model/agent.ts";
import type { RunUpdate } from "../model/event.ts";
import { failure } from "../model/failure.ts";
import type { Gate, GateCheck } from "../model/gate.ts";
import type { StepOutcome } from "../model/outcome.ts";
import { updateAgent } from "../model/roster.ts";
import type { RunState } from "../model/run-state.ts";
import { enter } from "../moves/apply-transition.ts";
import { divert, failAgent } from "../moves/fail-agent.ts";

type Move = Extract<Decision, { kind: "move" }>;

/** The agent after a passed gate: before the next gate, or ready to move. */
export function passGate(agent: Agent): { readonly next: Agent; readonly move: Move | null } {
  const { gate } = firstOf(agent);
  const checks = gate.checks.slice(1);
  if (checks.length > 0) {
    const rest = { ...gate, checks, starts: 0, setup: undefined };
    return { next: { ...agent, gate: rest }, move: null };
  }
  const { transitions, implied } = gate;
  if (transitions.length === 0) return { next: { ...agent, gate: null }, move: null };
  return { next: { ...agent, gate: null }, move: { kind: "move", transitions, implied } };
}

/** A failed gate: the model gets its output, or after the last attempt the agent enters `on_fail` or fails. */
export function rejectByGate(
  run: RunState,
  agent: Agent,
  { problem, said }: Extract<Decision, { kind: "send-back" }>,
  outcome: StepOutcome,
  call: number | null,
): RunUpdate {
  const { check, gate: pending } = firstOf(agent);
  const { id, workflow } = agent;
  if (pending.setup === true) {
    const message = `The set-up of the worktree failed: ${problem}${endOf(said)}`;
    return failAgent(run, agent, failure("deterministic", message, SETUP_HINT), outcome, call);
  }
  const times = (agent.sentBack?.times ?? 0) + 1;
  if (times < check.attempts) {
    const sentBack = { times, problem, said };
    const gate = fullName({ workflow, state: check.state });
    const event = { agent: id, state: fullName(agent), gate, times, problem };
    const back: Agent = { ...agent, gate: null, sentBack, delivery: "gate" };
    return updateAgent(run, back, { type: "agent.sent-back", ...event });
  }
  if (check.onFail === null) {
    const why = failure("deterministic", refusal(problem, times, said), HINT);
    return failAgent(run, { ...agent, gate: null }, why, outcome, call);
  }
  return divert(run, agent, enter(agent, check.onFail, agent.session, said), "on_fail", problem);
}

function firstOf({ id, gate }: Agent): { readonly gate: Gate; readonly check: GateCheck } {
  const check = gate?.checks[0];
  if (gate === null || check === undefined) throw new Error(`agent ${id} has no pending gate`);
  return { gate, check };
}

function refusal(problem: string, times: number, said: string): string {
  return `${problem} Attempt ${String(times)} of ${String(times)}.${endOf(said)}`;
}

function endOf(said: string): string {
  const lines = said.trim().slice(-SHOWN_CHARACTERS).split(/\r?\n/).slice(-SHOWN_LINES);
  if (said.trim() === "") return " It printed nothing.";
  return ` The end of its output:\n${lines.map((line) => `  ${line}`).join("\n")}`;
}

/** Limits of the excerpt. The debug file has the whole output. */
const SHOWN_LINES = 10;
const SHOWN_CHARACTERS = 2_000;

const SETUP_HINT = "Correct the script that setup of workflow.yaml names, then resume the run.";

const HINT =
  "Run the gate manually in the folder of the agent. The rule can set more `attempts`, or another state with `on_fail`.";
