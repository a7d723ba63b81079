import { formatDuration } from "../../language/basics/duration.ts";
import { fullName } from "../../language/protocol/address.ts";
import { type Agent, conversationOf } from "../model/agent.ts";
import { ownerOf } from "../model/owners.ts";
import { inFlight } from "../model/roster.ts";
import type { RunState, Wait } from "../model/run-state.ts";
import { isWaitOver } from "./wait-over.ts";

/** The coding agent of a step. */
export interface BackendChoice {
  readonly backend: string;
  /** The preferred one, if it cannot work now; null: it is the chosen one. */
  readonly insteadOf: string | null;
}

/** Whether another step probes whether the limit of a coding agent is over. */
export type IsProbed = (backend: string) => boolean;

/** Default of the setting `fallback_after`, ms. */
export const FALLBACK_AFTER_MS = 5 * 60_000;

/**
 * The coding agents that may answer the next prompt of an agent, preferred ones first: the owner of
 * the conversation that it continues, and those of its state if the state was entered without one.
 */
export function candidatesOf(run: RunState, agent: Agent): readonly string[] {
  const own = run.candidates[fullName(agent)] ?? [run.backend];
  const conversation = conversationOf(agent.session);
  if (conversation === null) return own;
  const owner = ownerOf(run, conversation);
  const isBound = conversationOf(agent.entered) !== null;
  return isBound ? [owner] : [owner, ...own.filter((one) => one !== owner)];
}

/**
 * The first candidate that can work now, or whose wait is shorter than `fallback_after`
 * (docs/budgets.md, "Fallback to another agent"). If all wait longer, the one that waits least.
 */
export function chooseBackend(
  run: RunState,
  agent: Agent,
  now: number,
  isProbed: IsProbed = probedBackends(run),
): BackendChoice {
  const candidates = candidatesOf(run, agent);
  const [first = run.backend] = candidates;
  if (candidates.length <= 1) return { backend: first, insteadOf: null };
  const free = candidates.find((one) => isAvailable(run, agent, one, now, isProbed));
  const chosen = free ?? candidates.toSorted((a, b) => endOf(run, a) - endOf(run, b))[0] ?? first;
  return { backend: chosen, insteadOf: chosen === first ? null : first };
}

/**
 * The agent as this coding agent starts it: if its earlier attempts belong to another coding agent, the state starts
 * again, without what they have said.
 */
export function startedBy(run: RunState, agent: Agent, backend: string): Agent {
  const conversation = conversationOf(agent.session);
  if (conversation === null || ownerOf(run, conversation) === backend) return agent;
  return { ...agent, session: agent.entered, delivery: "prompt" };
}

export function probedBackends(run: RunState): IsProbed {
  return (backend) => {
    const wait = run.waits[backend];
    return (
      wait !== undefined &&
      inFlight(run).some(
        ({ activity }) => activity.backend === backend && activity.process > wait.process,
      )
    );
  };
}

function isAvailable(
  run: RunState,
  { outage }: Agent,
  backend: string,
  now: number,
  isProbed: IsProbed,
): boolean {
  const { fallbackAfterMs = FALLBACK_AFTER_MS } = run.settings;
  const isOut = outage?.backend === backend;
  if (isOut && now - outage.from >= fallbackAfterMs) return false;
  const wait = run.waits[backend];
  if (wait === undefined) return true;
  if (isWaitOver(wait, now) && !isProbed(backend)) return true;
  const ms = wait.until - wait.since;
  return ms < fallbackAfterMs && waitRefusal(run, wait, ms) === null;
}

/** Epoch ms; -Infinity without a wait. */
function endOf(run: RunState, backend: string): number {
  return run.waits[backend]?.until ?? -Infinity;
}

/** Why a run does not wait for `ms`, by its settings; null if it does. */
export function waitRefusal(
  { settings: { wait, maxWaitMs } }: Pick<RunState, "settings">,
  { message }: Wait,
  ms: number,
): string | null {
  if (!wait) return message;
  if (maxWaitMs === 0 || ms <= maxWaitMs) return null;
  return `${message} The wait of ${formatDuration(ms)} exceeds --max-wait ${formatDuration(maxWaitMs)}.`;
}
