import { placeText } from "../../language/basics/place.ts";
import { resolveState } from "../../language/workflow/resolve.ts";
import { conversationOf } from "../model/agent.ts";
import { failure } from "../model/failure.ts";
import type { FailedAttempt } from "../model/outcome.ts";
import type { Decision, DecisionContext } from "./decision.ts";
import type { Step } from "./step.ts";

/** Retries per state after crashes of the client or killed scripts. */
export const MAX_RETRIES = 3;

/** Refused session starts before they count as crashes. */
const MAX_REFUSALS = 5;

/** docs/authoring.md, "Error handling". */
export function decideFailure(
  step: Step,
  outcome: FailedAttempt,
  circumstances: DecisionContext,
): Decision {
  const { agent, session } = step;
  const { message, hint } = outcome;
  switch (outcome.class) {
    case "crash": {
      if (outcome.refused !== null && session.mode !== "resume" && agent.starts < MAX_REFUSALS) {
        return { kind: "again", problem: message };
      }
      if (agent.retries < MAX_RETRIES) {
        return { kind: "retry", failure: failure("crash", message, hint), delayMs: null };
      }
      const tried = `${message} Tried ${String(agent.retries + 1)} times.`;
      // A killed script can have on_error.
      if (step.file.kind === "script" && step.gated === null) return failScript(step, tried, hint);
      return { kind: "fail", failure: failure("crash", tried, hint) };
    }
    case "outage":
      return { kind: "retry", failure: failure("outage", message, hint), delayMs: null };
    case "limit":
      return { kind: "limit", until: outcome.resetsAt, message };
    case "cancelled":
      return { kind: "cancelled" };
    case "deterministic":
    case "denied":
      // The gate did not run, so on_fail does not apply.
      if (step.gated !== null || step.file.kind === "prompt") return fail(message, hint);
      return failScript(step, message, hint);
    case "lost-session":
      if (conversationOf(session) !== conversationOf(agent.entered))
        return { kind: "reenter", problem: message };
      if (circumstances.lostSession === "fresh") return { kind: "forget", problem: message };
      return { kind: "fail", failure: failure("lost-session", message, hint ?? FORGET) };
  }
}

const FORGET = "To continue without that conversation, resume with --lost-session fresh.";

/** Limit of the doubling, ms; a longer configured backoff is used as is. */
const LONGEST_BACKOFF_MS = 60 * 60_000;

/** A failed script: retry or `on_error` of its directive, else fatal. */
export function failScript(step: Step, message: string, hint: string | null): Decision {
  const { agent, file, names, platform } = step;
  if (file.kind !== "script") throw new Error(`${file.name} is not a script`);
  if (agent.retries < file.retries) {
    const doubled = file.backoffMs * 2 ** agent.retries;
    const delayMs = Math.min(doubled, Math.max(file.backoffMs, LONGEST_BACKOFF_MS));
    return { kind: "retry", failure: failure("crash", message, hint), delayMs };
  }
  if (file.onError === null) return fail(message, hint);
  const target = resolveState(names, file.onError.target, platform);
  if (!target.ok) {
    const { at } = file.onError;
    return fail(
      `${message} Invalid on_error (${placeText(step.source, at)}): ${target.fault.message}`,
      hint,
    );
  }
  return { kind: "divert", target: target.name, problem: message };
}

/** A permanent failure that is not caused by the service. */
export function fail(message: string, hint: string | null = null): Decision {
  return { kind: "fail", failure: failure("deterministic", message, hint) };
}
