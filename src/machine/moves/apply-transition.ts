import { type Address, lastStem } from "../../language/protocol/address.ts";
import {
  type Continuation,
  isWorkflowTransition,
  type Start,
  type StateName,
  type WorkflowTransition,
} from "../../language/protocol/transition.ts";
import { stemOf } from "../../language/workflow/files/state-name.ts";
import { READY } from "../model/activity.ts";
import { type Agent, type AgentId, branchOf, FRESH, type Session } from "../model/agent.ts";
import { setupGate } from "../model/gate.ts";
import type { RunId } from "../model/run-state.ts";
import { NO_TOTALS } from "../model/totals.ts";
import { worktreeOf } from "./new-worktree.ts";

/**
 * Applies a resolved transition to the agent that emitted it. A test compares this function with
 * `effects` of `protocol/tag-table.ts`. Null: the agent has ended, by a result on an empty stack.
 * {@link spawnWorker} creates workers.
 */
export function applyTransition(agent: Agent, transition: Continuation): Agent | null {
  switch (transition.tag) {
    case "goto":
      return enter(agent, entryOf(transition, agent), agent.session, transition.input);
    case "reset":
    case "reset-workflow":
      return {
        ...enter(agent, entryOf(transition, agent), FRESH, transition.input),
        stack: transition.frames === "keep" ? agent.stack : [],
        cwd: transition.cd ?? agent.cwd,
      };
    case "join":
      return enter(agent, entryOf(transition, agent), agent.session);
    case "ask":
      return enter(agent, transition.next, agent.session);
    case "call":
    case "call-workflow":
    case "function":
    case "function-workflow": {
      const { tag, returnTo, schema } = transition;
      const branches = tag === "call" || tag === "call-workflow";
      const session = branches ? branchOf(agent.session) : FRESH;
      const { session: held, workflow } = agent;
      const caller = {
        session: held,
        returnTo,
        workflow,
        crossed: isWorkflowTransition(transition),
        ...(schema === undefined ? {} : { schema }),
      };
      const called = enter(agent, entryOf(transition, agent), session, transition.input);
      return { ...called, stack: [...agent.stack, caller] };
    }
    case "result": {
      const caller = agent.stack.at(-1);
      if (caller === undefined) return null;
      const back = { workflow: caller.workflow, state: caller.returnTo };
      return {
        ...enter(agent, back, caller.session, transition.payload),
        stack: agent.stack.slice(0, -1),
      };
    }
  }
}

/** The target of a transition. State names refer to the workflow of the agent. */
function entryOf(
  transition: WorkflowTransition | Extract<Continuation | Start, { target: string }>,
  { workflow }: Pick<Agent, "workflow">,
): Address {
  if (!isWorkflowTransition(transition)) return { workflow, state: transition.target };
  if (transition.entry === undefined) {
    throw new Error(`<${transition.tag}> has an unresolved workflow path`);
  }
  return transition.entry;
}

/** Creates the agent of a fork: fresh session, empty stack, in its worktree, `cd` or the launch folder. */
export function spawnWorker(
  fork: Start,
  parent: Pick<Agent, "workflow" | "readySince"> & Partial<Pick<Agent, "worktree">>,
  id: AgentId,
  run: RunId,
): Agent {
  const { cd = null, attributes, input = null, onError } = fork;
  const { readySince } = parent;
  const { worktree, cwd } = worktreeOf(fork, parent, run, id) ?? { worktree: undefined, cwd: cd };
  const worker = newAgent({ ...entryOf(fork, parent), id, cwd, attributes, readySince });
  const setup = fork.place?.setup ?? null;
  const gate = setup === null ? null : setupGate(setup, worker.state, input);
  return { ...worker, worktree, gate, pendingResult: input, reports: onError === "report" };
}

/** An agent before its first step. */
export function newAgent(
  of: Pick<Agent, "id" | "workflow" | "state" | "cwd" | "attributes" | "readySince">,
): Agent {
  return {
    ...of,
    ...ENTERED,
    session: FRESH,
    entered: FRESH,
    stack: [],
    pendingResult: null,
    worktree: undefined,
    opened: null,
    forked: [],
    reports: false,
    sums: NO_TOTALS,
  };
}

/** The agent at the start of a state, with reset counters. A name refers to its current workflow. */
export function enter(
  agent: Agent,
  to: StateName | Address,
  session: Session,
  payload: string | null = null,
): Agent {
  const { workflow, state } = typeof to === "string" ? { ...agent, state: to } : to;
  const entered = { workflow, state, session, entered: session, pendingResult: payload };
  return { ...agent, ...ENTERED, ...entered };
}

const ENTERED = {
  activity: READY,
  starts: 0,
  reminders: 0,
  fault: null,
  gate: null,
  sentBack: null,
  wanted: null,
  delivery: "prompt",
  ruling: undefined,
  retries: 0,
  elapsedMs: 0,
  outage: null,
  setResult: null,
} as const;

/**
 * `main_analyz1` for the first worker of `main`, in `ANALYZE.md`; `main_review2` for the second, in
 * the workflow `../review`. Ids are unique: `_` only separates generations, an abbreviation never ends
 * with a digit, and the counter only grows.
 */
export function workerId(parent: AgentId, fork: Start, count: number): AgentId {
  const stem = isWorkflowTransition(fork) ? lastStem(fork.path) : stemOf(fork.target);
  const letters = stem
    .toLowerCase()
    .slice(0, 6)
    .replace(/[^a-z0-9]/g, "");
  const abbreviation = /[a-z]$/.test(letters) ? letters : `${letters}x`;
  return `${parent}_${abbreviation}${String(count)}`;
}
