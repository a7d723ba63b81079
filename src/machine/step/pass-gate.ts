import { fullName } from "../../language/protocol/address.ts";
import type { Agent } from "../agent.ts";
import type { Event, RunUpdate } from "../event.ts";
import { enter } from "../move/apply-transition.ts";
import { replaceAgent } from "../move/roster.ts";
import type { RunState } from "../run-state.ts";
import type { Decision } from "./decision.ts";
import { type Failure, failure } from "./failure.ts";
import type { Gate, GateCheck } from "./gate.ts";

type Move = Extract<Decision, { kind: "move" }>;

/** The agent after a passed gate: before the next gate, or ready to move. */
export function passGate(agent: Agent): { readonly next: Agent; readonly move: Move | null } {
  const { gate } = firstOf(agent);
  const checks = gate.checks.slice(1);
  if (checks.length > 0)
    return { next: { ...agent, gate: { ...gate, checks, starts: 0 } }, move: null };
  const { transitions, implied } = gate;
  return { next: { ...agent, gate: null }, move: { kind: "move", transitions, implied } };
}

/** A failed gate: the model gets its output, or after the last attempt the agent enters `on_fail` or fails. */
export function rejectByGate(
  run: RunState,
  agent: Agent,
  { problem, said }: Extract<Decision, { kind: "send-back" }>,
): { readonly advanced: RunUpdate } | { readonly failure: Failure } {
  const { check } = firstOf(agent);
  const { id, workflow } = agent;
  const state = fullName(agent);
  const times = (agent.sentBack?.times ?? 0) + 1;
  if (times < check.attempts) {
    const sentBack = { times, problem, said };
    const back: Agent = { ...agent, gate: null, sentBack, delivery: "gate" };
    const told: Event = {
      type: "agent.sent-back",
      agent: id,
      state,
      gate: fullName({ workflow, state: check.state }),
      times,
      problem,
    };
    return { advanced: [replaceAgent(run, back), [told]] };
  }
  if (check.onFail === null)
    return { failure: failure("deterministic", refusal(problem, times, said), HINT) };
  const next = enter(agent, check.onFail, agent.session, said);
  const told: Event = {
    type: "agent.diverted",
    agent: id,
    from: state,
    to: fullName(next),
    by: "on_fail",
    problem,
  };
  return { advanced: [replaceAgent({ ...run, steps: run.steps + 1 }, next), [told]] };
}

function firstOf({ id, gate }: Agent): { readonly gate: Gate; readonly check: GateCheck } {
  const check = gate?.checks[0];
  if (gate === null || check === undefined) throw new Error(`agent ${id} has no pending gate`);
  return { gate, check };
}

function refusal(problem: string, times: number, said: string): string {
  const lines = said.trim().slice(-SHOWN_CHARACTERS).split(/\r?\n/).slice(-SHOWN_LINES);
  const last =
    said.trim() === ""
      ? " It printed nothing."
      : ` The end of its output:\n${lines.map((line) => `  ${line}`).join("\n")}`;
  return `${problem} Attempt ${String(times)} of ${String(times)}.${last}`;
}

/** Limits of the excerpt. The debug file has the whole output. */
const SHOWN_LINES = 10;
const SHOWN_CHARACTERS = 2_000;

const HINT =
  "Run the gate manually in the folder of the agent. The rule can set more `attempts`, or another state with `on_fail`.";
