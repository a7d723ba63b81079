import { fullName } from "../protocol/address.ts";
import type { Agent } from "./agent.ts";
import { enter } from "./apply-transition.ts";
import type { Decision } from "./decision.ts";
import type { Advanced, Event } from "./event.ts";
import { type Failure, failure } from "./failure.ts";
import type { Gate, GateCheck } from "./gate.ts";
import { replaceAgent } from "./roster.ts";
import type { RunState } from "./run-state.ts";

type Move = Extract<Decision, { kind: "move" }>;

/** The agent behind the gate that has let it through: before the next one, or about to move. */
export function passGate(agent: Agent): { readonly next: Agent; readonly move: Move | null } {
  const { gate } = firstOf(agent);
  const checks = gate.checks.slice(1);
  if (checks.length > 0)
    return { next: { ...agent, gate: { ...gate, checks, starts: 0 } }, move: null };
  const { transitions, implied } = gate;
  return { next: { ...agent, gate: null }, move: { kind: "move", transitions, implied } };
}

/**
 * What a gate does that has not passed: the model hears what it printed, in the
 * session just used; once too often the agent goes where the rule says, or fails.
 */
export function sendBack(
  run: RunState,
  agent: Agent,
  { problem, said }: Extract<Decision, { kind: "send-back" }>,
): { readonly advanced: Advanced } | { readonly failure: Failure } {
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
  if (gate === null || check === undefined) throw new Error(`agent ${id} stands before no gate`);
  return { gate, check };
}

function refusal(problem: string, times: number, said: string): string {
  const lines = said.trim().slice(-TOLD_CHARACTERS).split(/\r?\n/).slice(-TOLD_LINES);
  const last =
    said.trim() === ""
      ? " It printed nothing."
      : ` It ended with:\n${lines.map((line) => `  ${line}`).join("\n")}`;
  return `${problem} It has run ${times === 1 ? "once" : `${String(times)} times`}, as often as its rule allows.${last}`;
}

/** Enough for a person, who has the debug file: a gate may print its whole output in one line. */
const TOLD_LINES = 10;
const TOLD_CHARACTERS = 2_000;

const HINT =
  "Run the gate by hand in the agent's folder. More attempts are given by `attempts` of the rule, and another way by its `on_fail`.";
