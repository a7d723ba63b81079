import { excerpt } from "../protocol/excerpt.ts";
import type { Fault } from "../protocol/fault.ts";
import { printTransition } from "../protocol/print.ts";
import { readTransition } from "../protocol/read-transition.ts";
import type { Transition } from "../protocol/transition.ts";
import {
  completeByRule,
  impliedTransition,
  matchingRule,
  ruleProblem,
} from "../workflow/policy.ts";
import { quoted } from "../workflow/quote.ts";
import { resolveTransition } from "../workflow/resolve.ts";
import { describeProblem } from "../workflow/state-file.ts";
import type { Circumstances } from "./circumstances.ts";
import { decideFailure, fail, failScript } from "./decide-failure.ts";
import type { Decision } from "./decision.ts";
import type { StepOutcome } from "./outcome.ts";
import type { Step } from "./step.ts";
import { stepValues } from "./step-values.ts";

/**
 * Reminders sent in one state before the step fails (docs/protocol.md, "When
 * there is no valid transition").
 */
export const MAX_REMINDERS = 3;

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

type Wish =
  | { readonly ok: true; readonly transition: Transition; readonly implied: boolean }
  | { readonly ok: false; readonly fault: Fault };

/** What an output asks for: the transition that it says, or the one that its rules leave it. */
function read(step: Step, outcome: Output): Wish {
  const { file } = step;
  if (outcome.reading.oversized) return { ok: false, fault: TOO_LARGE };
  const parsed = readTransition(outcome.reading);
  if (parsed.ok) return { ...parsed, implied: false };
  if (!outcome.spoke) return { ok: false, fault: noReply(step) };
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
  if (problem !== null) return fail(describeProblem(step.path, problem), problem.hint);
  const resolved = resolveTransition(wish.transition, names, platform);
  if (!resolved.ok) return faulty(step, outcome, resolved.fault);
  const rule = rules && matchingRule(rules, resolved.transition, names, platform);
  if (rules !== null && rule === null) {
    const message = `The transition ${excerpt(printTransition(resolved.transition))} is not one that this state allows.`;
    return faulty(step, outcome, { code: "not-allowed", message });
  }
  const transition =
    rule === null
      ? resolved.transition
      : completeByRule(resolved.transition, rule, stepValues(step));
  const cd = "cd" in transition ? transition.cd : undefined;
  if (cd === undefined) return { kind: "move", transition, implied: wish.implied };
  if (folder === null) {
    const message = `The folder that cd names does not exist: ${cd}`;
    return wish.implied ? fail(message) : faulty(step, outcome, { code: "bad-cd", message });
  }
  const settled = { ...transition, cd: folder };
  return { kind: "move", transition: settled, implied: wish.implied };
}

/** A prompt that is a command of the client is run by it, and brings no text of a model. */
function noReply(step: Step): Fault {
  const command = commandOf(step);
  const message =
    command === null
      ? "There was no reply at all."
      : `There was no reply at all: the prompt begins with ${quoted(command)}, which the client takes for a command of its own and not for a message to the model.`;
  return { code: "no-reply", message };
}

/** The word at the beginning of what was sent that a client takes for a command: `/clear`; null where there is none. */
function commandOf({ file, agent }: Step): string | null {
  if (file.kind === "script" || agent.delivery !== "prompt") return null;
  return /^\/\S+/.exec(file.body)?.[0] ?? null;
}

/** A prompt that begins with a command and goes on below it: the command has taken all of it. */
function isSwallowed(step: Step): boolean {
  return commandOf(step) !== null && step.file.kind === "prompt" && /\n\s*\S/.test(step.file.body);
}

const WRITE_A_PROMPT =
  "Write in words what is to be done, and no command at the beginning of the prompt. For a fresh conversation go to the state by <reset> or <function>.";

function scriptHint({ code }: Fault): string | null {
  if (code === "payload-too-large") return BY_FILE;
  const counted = code === "no-tag" || code === "several-tags";
  return counted ? "Every path through a script must print exactly one transition tag." : null;
}

function promptHint(step: Step, { code }: Fault): string {
  if (code === "payload-too-large") return BY_FILE;
  if (code === "no-reply" && commandOf(step) !== null) return WRITE_A_PROMPT;
  return "Declare allowed_transitions in the front matter of this state, so that the model is reminded.";
}

const BY_FILE = "Write large data to a file, and let the result name the file.";

const TOO_LARGE: Fault = {
  code: "payload-too-large",
  message: "The payload is larger than 16 MiB.",
};

function faulty(step: Step, outcome: Output, fault: Fault): Decision {
  const { file, agent } = step;
  if (outcome.capped) return { kind: "continue", problem: fault.message };
  if (file.kind === "script") return failScript(step, fault.message, scriptHint(fault));
  if (file.rules === null) return fail(fault.message, promptHint(step, fault));
  // No reminder would tell the model what it never heard.
  if (fault.code === "no-reply" && isSwallowed(step)) return fail(fault.message, WRITE_A_PROMPT);
  if (agent.reminders < MAX_REMINDERS) return { kind: "remind", fault };
  return fail(
    `${fault.message} It was reminded ${String(MAX_REMINDERS)} times.`,
    "Read the last replies in the debug files, and say in the prompt which tag ends the step.",
  );
}
