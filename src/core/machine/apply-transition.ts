import type { Start, StateName, Way } from "../protocol/transition.ts";
import { stemOf } from "../workflow/state-name.ts";
import { READY } from "./activity.ts";
import { type Agent, type AgentId, branchOf, FRESH, type Session } from "./agent.ts";
import { NO_SUMS } from "./sums.ts";

/**
 * Applies a transition to the agent that emitted it: the whole calling
 * convention of the workflow language. `effects` of `protocol/tag-table.ts` says
 * the same in words, for the docs; a test holds one to the other.
 *
 * Names are resolved and `cd` is absolute. Workers are made by
 * {@link spawnWorker}. Returns `null` when a result meets an empty
 * stack, for then the agent has ended.
 */
export function applyTransition(agent: Agent, transition: Way): Agent | null {
  switch (transition.tag) {
    case "goto":
      return enter(agent, transition.target, agent.session, transition.input);
    case "reset":
      return {
        ...enter(agent, transition.target, FRESH, transition.input),
        stack: transition.frames === "keep" ? agent.stack : [],
        cwd: transition.cd ?? agent.cwd,
      };
    case "join":
      return enter(agent, transition.target, agent.session);
    case "call":
    case "function": {
      const session = transition.tag === "call" ? branchOf(agent.session) : FRESH;
      const caller = { session: agent.session, returnTo: transition.returnTo };
      const called = enter(agent, transition.target, session, transition.input);
      return { ...called, stack: [...agent.stack, caller] };
    }
    case "result": {
      const caller = agent.stack.at(-1);
      if (caller === undefined) return null;
      return {
        ...enter(agent, caller.returnTo, caller.session, transition.payload),
        stack: agent.stack.slice(0, -1),
      };
    }
  }
}

/** The agent that a tag starts: fresh, called by nobody, in the launch folder unless the tag says `cd`. */
export function spawnWorker(fork: Start, id: AgentId, readySince = 0): Agent {
  const { target: state, cd: cwd = null, attributes, input = null, onError } = fork;
  const worker = newAgent({ id, state, cwd, attributes, readySince });
  return { ...worker, pendingResult: input, reports: onError === "report" };
}

/** An agent before its first step. */
export function newAgent(
  of: Pick<Agent, "id" | "state" | "cwd" | "attributes" | "readySince">,
): Agent {
  return {
    ...of,
    ...ENTERED,
    session: FRESH,
    entered: FRESH,
    stack: [],
    pendingResult: null,
    forked: [],
    reports: false,
    sums: NO_SUMS,
  };
}

/**
 * The agent at the beginning of a state, with the payload that it is given: what
 * the step before counted and was told is gone.
 */
export function enter(
  agent: Agent,
  state: StateName,
  session: Session,
  payload: string | null = null,
): Agent {
  return { ...agent, ...ENTERED, state, session, entered: session, pendingResult: payload };
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
 * `main` forking `ANALYZE.md` as its first worker starts `main_analyz1`. No two
 * ids of a run are equal: `_` only separates generations, an abbreviation never
 * ends in a digit, and the counter only grows.
 */
export function workerId(parent: AgentId, target: StateName, count: number): AgentId {
  const stem = stemOf(target).toLowerCase();
  const letters = stem.slice(0, 6).replace(/[^a-z0-9]/g, "");
  const abbreviation = /[a-z]$/.test(letters) ? letters : `${letters}x`;
  return `${parent}_${abbreviation}${String(count)}`;
}
