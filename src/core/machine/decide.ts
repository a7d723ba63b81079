import { excerpt } from "../protocol/excerpt.ts";
import type { Fault } from "../protocol/fault.ts";
import { printTransition } from "../protocol/print.ts";
import { readTransition } from "../protocol/read-transition.ts";
import type { Transition } from "../protocol/transition.ts";
import { allows, impliedTransition, ruleProblem } from "../workflow/policy.ts";
import { resolveTransition } from "../workflow/resolve.ts";
import type { FailureClass, Session, SessionId } from "./agent.ts";
import type { StepOutcome } from "./outcome.ts";
import type { Step } from "./step.ts";

/** What one outcome means for the agent that produced it. */
export type Decision =
  | { readonly kind: "move"; readonly transition: Transition; readonly implied: boolean }
  | { readonly kind: "remind"; readonly fault: Fault }
  /** The conversation reached its share of the budget: it goes on later, with a short note. */
  | { readonly kind: "continue"; readonly problem: string }
  /** The same step again, after a back-off. */
  | {
      readonly kind: "retry";
      readonly class: "crash" | "outage";
      readonly problem: string;
      readonly hint: string | null;
    }
  /** The same step again at once, for the session could not be begun: no retry is counted. */
  | { readonly kind: "again"; readonly problem: string }
  /** The conversation is gone, but the step began in another one, or in none: it is begun anew. */
  | { readonly kind: "reenter"; readonly problem: string }
  /** The conversation is gone, and the user has allowed to go on without it. */
  | { readonly kind: "forget"; readonly problem: string }
  /** A usage limit: nothing that costs money goes on before `until`, epoch ms (null: unknown). */
  | { readonly kind: "limit"; readonly until: number | null; readonly problem: string }
  /** Ended by the user: the step is done again on resume. */
  | { readonly kind: "cancelled" }
  | {
      readonly kind: "fail";
      readonly class: FailureClass;
      readonly problem: string;
      readonly hint: string | null;
    };

/** Reminders sent in one state before the step fails (spec 1.5). */
export const MAX_REMINDERS = 3;

/** Retries after crashes of the client in one state (spec 1.9). */
export const MAX_RETRIES = 3;

/** Times that a session may be refused at its beginning before that is a crash like any other. */
const MAX_REFUSALS = 5;

/** What a judgement needs to know of the world, once somebody has looked. */
export interface Circumstances {
  /** The absolute folder that the output's `cd` names; null where it does not exist or is none. */
  readonly folder: string | null;
  /** `--lost-session`: whether a conversation that is gone may be forgotten. */
  readonly lostSession: "fail" | "fresh";
}

/** Judges an outcome by the rules of its state: the only place that knows when to be lenient. */
export function decide(step: Step, outcome: StepOutcome, circumstances: Circumstances): Decision {
  switch (outcome.kind) {
    case "failure":
      return decideFailure(step, outcome, circumstances);
    case "output":
      return decideOutput(step, outcome, circumstances.folder);
  }
}

/** The `cd` that an output asks for, as written: to be looked up before {@link decide}. */
export function wantedFolder(step: Step, outcome: StepOutcome): string | null {
  if (outcome.kind === "failure") return null;
  const wish = read(step, outcome);
  return wish.ok && "cd" in wish.transition ? (wish.transition.cd ?? null) : null;
}

type Output = Extract<StepOutcome, { kind: "output" }>;
type Failure = Extract<StepOutcome, { kind: "failure" }>;

type Wish =
  | { readonly ok: true; readonly transition: Transition; readonly implied: boolean }
  | { readonly ok: false; readonly fault: Fault };

/** What an output asks for: the transition that it says, or the one that its rules leave it. */
function read({ file }: Step, outcome: Output): Wish {
  if (outcome.reading.oversized) return { ok: false, fault: TOO_LARGE };
  const parsed = readTransition(outcome.reading);
  if (parsed.ok) return { ...parsed, implied: false };
  if (!outcome.spoke) return { ok: false, fault: NO_REPLY };
  // A capped reply without a tag was cut off: it has not said yet what it wants.
  if (parsed.fault.code !== "no-tag" || outcome.capped || file.kind === "script") return parsed;
  const implied = impliedTransition(file.rules);
  return implied === null ? parsed : { ok: true, transition: implied, implied: true };
}

function decideOutput(step: Step, outcome: Output, folder: string | null): Decision {
  const { file, names, platform } = step;
  const wish = read(step, outcome);
  if (!wish.ok) return faulty(step, outcome, wish.fault);

  const rules = file.kind === "prompt" ? file.rules : null;
  // A rule that leads nowhere is the workflow's fault, and no reminder would mend it.
  const problem = ruleProblem(rules, names, platform);
  if (problem !== null) return fail(problem);
  const resolved = resolveTransition(wish.transition, names, platform);
  if (!resolved.ok) return faulty(step, outcome, resolved.fault);
  const { transition } = resolved;
  if (!wish.implied && !allows(rules, transition, names, platform)) {
    const message = `The transition ${excerpt(printTransition(transition))} is not one that this state allows.`;
    return faulty(step, outcome, { code: "not-allowed", message });
  }
  if (!("cd" in transition) || transition.cd === undefined) {
    return { kind: "move", transition, implied: wish.implied };
  }
  if (folder === null) {
    const message = `The folder that cd names does not exist: ${transition.cd}`;
    return wish.implied ? fail(message) : faulty(step, outcome, { code: "bad-cd", message });
  }
  return { kind: "move", transition: { ...transition, cd: folder }, implied: wish.implied };
}

const NO_REPLY: Fault = { code: "no-reply", message: "There was no reply at all." };
const TOO_LARGE: Fault = {
  code: "payload-too-large",
  message: "The payload is larger than 16 MiB.",
};

function faulty({ file, agent }: Step, outcome: Output, fault: Fault): Decision {
  if (outcome.capped) return { kind: "continue", problem: fault.message };
  if (file.kind === "script" || file.rules === null) {
    const hint =
      file.kind === "script"
        ? "Every path through a script must print exactly one transition tag."
        : "Declare allowed_transitions in the front matter of this state, so that the model is reminded.";
    return fail(fault.message, hint);
  }
  if (agent.reminders < MAX_REMINDERS) return { kind: "remind", fault };
  return fail(
    `${fault.message} It was reminded ${String(MAX_REMINDERS)} times.`,
    "Read the last replies in the debug files, and say in the prompt which tag ends the step.",
  );
}

function decideFailure(step: Step, outcome: Failure, circumstances: Circumstances): Decision {
  const { agent, session } = step;
  const { message: problem, hint } = outcome;
  switch (outcome.class) {
    case "crash": {
      if (outcome.refused !== null && session.mode !== "resume" && agent.starts < MAX_REFUSALS) {
        return { kind: "again", problem };
      }
      if (agent.retries < MAX_RETRIES) return { kind: "retry", class: "crash", problem, hint };
      const tried = `${problem} It was tried ${String(MAX_RETRIES + 1)} times.`;
      return { kind: "fail", class: "crash", problem: tried, hint };
    }
    case "outage":
      return { kind: "retry", class: "outage", problem, hint };
    case "limit":
      return { kind: "limit", until: outcome.resetsAt, problem };
    case "cancelled":
      return { kind: "cancelled" };
    case "deterministic":
      return fail(problem, hint);
    case "lost-session":
      if (rootOf(session) !== rootOf(agent.entered)) return { kind: "reenter", problem };
      if (circumstances.lostSession === "fresh") return { kind: "forget", problem };
      return { kind: "fail", class: "lost-session", problem, hint: hint ?? FORGET };
  }
}

const FORGET = "Resume with --lost-session fresh to go on without that conversation.";

/** The conversation that must exist for this session to begin. */
function rootOf(session: Session): SessionId | null {
  switch (session.mode) {
    case "fresh":
      return null;
    case "resume":
      return session.id;
    case "branch":
      return session.source;
  }
}

function fail(problem: string, hint: string | null = null): Decision {
  return { kind: "fail", class: "deterministic", problem, hint };
}
