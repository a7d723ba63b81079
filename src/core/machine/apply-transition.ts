import { type Address, lastStem } from "../protocol/address.ts";
import {
  type Crossing,
  isCrossing,
  type Start,
  type StateName,
  type Way,
} from "../protocol/transition.ts";
import { stemOf } from "../workflow/state-name.ts";
import { READY } from "./activity.ts";
import { type Agent, type AgentId, branchOf, FRESH, type Session } from "./agent.ts";
import { NO_SUMS } from "./sums.ts";

/**
 * Applies a transition to the agent that emitted it: the whole calling
 * convention of the workflow language. `effects` of `protocol/tag-table.ts` says
 * the same in words, for the docs; a test holds one to the other.
 *
 * Names are resolved, `cd` is absolute, and where a path leads is known. Workers are made by
 * {@link spawnWorker}. Returns `null` when a result meets an empty
 * stack, for then the agent has ended.
 */
export function applyTransition(agent: Agent, transition: Way): Agent | null {
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
      const { tag, returnTo } = transition;
      const branches = tag === "call" || tag === "call-workflow";
      const session = branches ? branchOf(agent.session) : FRESH;
      const { session: held, workflow } = agent;
      const caller = { session: held, returnTo, workflow, crossed: isCrossing(transition) };
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

/** Where a transition leads: a name means a state of the workflow that the agent is in. */
function entryOf(
  transition: Crossing | Extract<Way | Start, { target: string }>,
  { workflow }: Pick<Agent, "workflow">,
): Address {
  if (!isCrossing(transition)) return { workflow, state: transition.target };
  if (transition.entry === undefined) {
    throw new Error(`<${transition.tag}> is applied, and nobody has looked where it leads`);
  }
  return transition.entry;
}

/**
 * The agent that a tag of this parent starts: fresh, called by nobody, in the
 * launch folder unless the tag says `cd`.
 */
export function spawnWorker(
  fork: Start,
  parent: Pick<Agent, "workflow" | "readySince">,
  id: AgentId,
): Agent {
  const { cd: cwd = null, attributes, input = null, onError } = fork;
  const { readySince } = parent;
  const worker = newAgent({ ...entryOf(fork, parent), id, cwd, attributes, readySince });
  return { ...worker, pendingResult: input, reports: onError === "report" };
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
    opened: null,
    forked: [],
    reports: false,
    sums: NO_SUMS,
  };
}

/**
 * The agent at the beginning of a state, with the payload that it is given: what
 * the step before counted and was told is gone. A name means a state of the
 * workflow that it is in.
 */
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

/** What is true of every agent that has just entered a state. */
const ENTERED = {
  activity: READY,
  starts: 0,
  reminders: 0,
  fault: null,
  gate: null,
  sentBack: null,
  wanted: null,
  delivery: "prompt",
  retries: 0,
  elapsedMs: 0,
  outage: null,
} as const;

/**
 * `main` forking `ANALYZE.md` as its first worker starts `main_analyz1`, and the
 * workflow `../review` as its second `main_review2`. No two
 * ids of a run are equal: `_` only separates generations, an abbreviation never
 * ends in a digit, and the counter only grows.
 */
export function workerId(parent: AgentId, fork: Start, count: number): AgentId {
  const stem = isCrossing(fork) ? lastStem(fork.path) : stemOf(fork.target);
  const letters = stem
    .toLowerCase()
    .slice(0, 6)
    .replace(/[^a-z0-9]/g, "");
  const abbreviation = /[a-z]$/.test(letters) ? letters : `${letters}x`;
  return `${parent}_${abbreviation}${String(count)}`;
}
