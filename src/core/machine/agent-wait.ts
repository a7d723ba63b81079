import { stateKind } from "../workflow/state-file.ts";
import type { Agent, AgentId } from "./agent.ts";
import { inFlight } from "./roster.ts";
import type { RunState } from "./run-state.ts";
import { isOver } from "./wait.ts";

/** What keeps an agent from its next step. */
export type AgentWait =
  /** A usage limit stands in front of every prompt step of the run. */
  | { readonly kind: "limit"; readonly until: number; readonly message: string }
  /** The limit should be over; one step finds that out, before the others follow. */
  | { readonly kind: "probe"; readonly agent: AgentId }
  /** The pause before the next attempt; `tries` is how often it was tried again so far. */
  | {
      readonly kind: "retry";
      readonly class: "outage" | "crash";
      readonly until: number;
      readonly tries: number;
    }
  /** As many prompt steps run as may run at once. */
  | { readonly kind: "place"; readonly maxParallel: number }
  /** The steps that run may be the last that `--max-steps` allows. */
  | { readonly kind: "steps"; readonly maxSteps: number }
  /** The budget is used up: until somebody raises it. */
  | { readonly kind: "money"; readonly message: string };

/**
 * What an agent waits for at this moment, epoch ms; null while it works, where it
 * has failed, or where only the run as a whole must be resumed. Law: of a run that
 * goes on, whoever is not started by `plan` waits for something.
 */
export function waitOf(run: RunState, agent: Agent, now: number): AgentWait | null {
  if (agent.inFlight !== null || agent.status === "failed") return null;
  const held = stateKind(agent.state) === "prompt" ? waitForLimit(run, now) : null;
  if (held !== null) return held;
  if (run.stopReason !== null) {
    const { class: reason, message } = run.stopReason;
    return reason === "budget" ? { kind: "money", message } : null;
  }
  return waitForRetry(agent, now) ?? waitForPlace(run, agent) ?? waitForSteps(run);
}

function waitForLimit({ wait, agents }: RunState, now: number): AgentWait | null {
  if (wait === null) return null;
  if (!isOver(wait, now)) return { kind: "limit", until: wait.until, message: wait.message };
  const probe = agents.find(
    (agent) => agent.inFlight?.kind === "prompt" && agent.inFlight.process > wait.process,
  );
  return probe === undefined ? null : { kind: "probe", agent: probe.id };
}

function waitForRetry(
  { notBefore, outage, retries }: Agent,
  now: number,
): Extract<AgentWait, { kind: "retry" }> | null {
  if (notBefore === null || notBefore <= now) return null;
  return outage === null
    ? { kind: "retry", class: "crash", until: notBefore, tries: retries }
    : { kind: "retry", class: "outage", until: notBefore, tries: outage.tries };
}

function waitForPlace(run: RunState, agent: Agent): AgentWait | null {
  if (stateKind(agent.state) === "script") return null;
  const { maxParallel } = run.settings;
  const running = inFlight(run).filter((other) => other.inFlight?.kind === "prompt").length;
  return running < maxParallel ? null : { kind: "place", maxParallel };
}

function waitForSteps(run: RunState): AgentWait | null {
  const { maxSteps } = run.settings;
  if (maxSteps === null || run.steps + inFlight(run).length < maxSteps) return null;
  return { kind: "steps", maxSteps };
}
