import { placeText } from "../place.ts";
import { resolveState } from "../workflow/resolve.ts";
import { conversationOf } from "./agent.ts";
import type { Circumstances, Decision } from "./decision.ts";
import { failure } from "./failure.ts";
import type { FailedAttempt } from "./outcome.ts";
import type { Step } from "./step.ts";

/**
 * Retries after crashes of the client, and of scripts that were killed from outside, in one state
 * (docs/authoring.md, "When something goes wrong").
 */
export const MAX_RETRIES = 3;

/** Times that a session may be refused at its beginning before that is a crash like any other. */
const MAX_REFUSALS = 5;

/** What a failed attempt means, by its class (docs/authoring.md, "When something goes wrong"). */
export function decideFailure(
  step: Step,
  outcome: FailedAttempt,
  circumstances: Circumstances,
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
      const tried = `${message} It was tried ${String(agent.retries + 1)} times.`;
      // A script that was killed each time: its directive may say more.
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
      // What a gate's failure means is said by the rule, and this one could not even begin.
      if (step.gated !== null || step.file.kind === "prompt") return fail(message, hint);
      return failScript(step, message, hint);
    case "lost-session":
      if (conversationOf(session) !== conversationOf(agent.entered))
        return { kind: "reenter", problem: message };
      if (circumstances.lostSession === "fresh") return { kind: "forget", problem: message };
      return { kind: "fail", failure: failure("lost-session", message, hint ?? FORGET) };
  }
}

const FORGET = "Resume with --lost-session fresh to go on without that conversation.";

/** Doubling ends here, ms; an author who asks for longer pauses gets them as they are. */
const LONGEST_BACKOFF_MS = 60 * 60_000;

/**
 * What the failure of a script means: fatal, unless its directive says how
 * often it may be repeated, or which state takes over.
 */
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
      `${message} Its on_error (${placeText(step.source, at)}) leads nowhere: ${target.fault.message}`,
      hint,
    );
  }
  return { kind: "divert", target: target.name, problem: message };
}

/** A step that has failed for good, through no fault of the service. */
export function fail(message: string, hint: string | null = null): Decision {
  return { kind: "fail", failure: failure("deterministic", message, hint) };
}
