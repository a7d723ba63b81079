import type { Fault } from "../protocol/fault.ts";
import { printTransition } from "../protocol/print.ts";
import { type RowItem, readRow } from "../protocol/row.ts";
import { isCrossing, type Transition } from "../protocol/transition.ts";
import { impliedTransition, ruledPaths, ruleProblem } from "../workflow/policy.ts";
import { quoted } from "../workflow/quote.ts";
import { describeProblem } from "../workflow/state-file.ts";
import { hold } from "./agent.ts";
import { pathProblem } from "./backend-problem.ts";
import { decideFailure, fail, failScript } from "./decide-failure.ts";
import type { Circumstances, Decision } from "./decision.ts";
import { judgeRow } from "./judge-row.ts";
import type { StepOutcome } from "./outcome.ts";
import type { Step } from "./step.ts";

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
    case "checked":
      return outcome.problem === null
        ? { kind: "pass" }
        : { kind: "send-back", problem: outcome.problem, said: outcome.said };
    case "output":
      return decideOutput(step, outcome, circumstances);
  }
}

/** The folders that an output asks for by `cd`, as written: to be looked up before {@link decide}. */
export function wantedFolders(step: Step, outcome: StepOutcome): readonly string[] {
  const wanted = wishes(step, outcome).flatMap((one) => ("cd" in one ? (one.cd ?? []) : []));
  return [...new Set(wanted)];
}

/**
 * The paths of other workflows that matter to {@link decide}: those that an
 * output names and its state may use, and those of its rules.
 */
export function wantedWorkflows(step: Step, outcome: StepOutcome): readonly string[] {
  if (outcome.kind !== "output") return [];
  const { file } = step;
  if (file.kind === "prompt") return ruledPaths(file.rules);
  const wanted = wishes(step, outcome).flatMap((one) => (isCrossing(one) ? one.path : []));
  return [...new Set(wanted)];
}

function wishes(step: Step, outcome: StepOutcome): readonly Transition[] {
  const wish = outcome.kind === "output" ? read(step, outcome) : null;
  if (wish?.ok !== true) return [];
  return wish.items.flatMap((item) => (item.ok ? [item.transition] : []));
}

type Output = Extract<StepOutcome, { kind: "output" }>;

type Wish =
  | { readonly ok: true; readonly items: readonly RowItem[]; readonly implied: boolean }
  | { readonly ok: false; readonly fault: Fault };

/** What an output asks for: the transitions that it says, or the one that its rules leave it. */
function read(step: Step, outcome: Output): Wish {
  const { file } = step;
  if (outcome.reading.oversized) return { ok: false, fault: TOO_LARGE };
  const row = readRow(outcome.reading);
  if (row.ok) return { ...row, implied: false };
  if (!outcome.spoke) return { ok: false, fault: noReply(step) };
  // A capped reply without a tag was cut off: it has not said yet what it wants.
  if (row.fault.code !== "no-tag" || outcome.capped || file.kind === "script") return row;
  const transition = impliedTransition(file.rules);
  if (transition === null) return row;
  const item = { ok: true, transition, shown: printTransition(transition) } as const;
  return { ok: true, items: [item], implied: true };
}

function decideOutput(step: Step, outcome: Output, circumstances: Circumstances): Decision {
  const { file, names, platform } = step;
  const wish = read(step, outcome);
  if (!wish.ok) return faulty(step, outcome, wish.fault);

  // A rule that leads nowhere is the workflow's fault, and no reminder would mend it.
  const rules = file.kind === "prompt" ? file.rules : null;
  const problem = ruleProblem(rules, names, platform, circumstances.workflows);
  if (problem !== null) return fail(describeProblem(step.source, problem), problem.hint);
  const judged = judgeRow(wish.items, step, circumstances);
  if (judged.ok) {
    const { transitions, checks } = judged;
    const beyond = pathProblem(hold(step.agent, outcome.session), transitions, step.backend);
    // The workflow's fault as well: no reminder gives a backend what it lacks.
    if (beyond !== null) return fail(`${step.path}: ${beyond.message}`, beyond.hint);
    const { implied } = wish;
    if (checks.length === 0) return { kind: "move", transitions, implied };
    return { kind: "verify", gate: { transitions, implied, checks, starts: 0 } };
  }
  const { fault } = judged;
  // Nor would it mend what the only rule says: a folder, or more workers than there are.
  return wish.implied ? fail(fault.message) : faulty(step, outcome, fault);
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
  return counted
    ? "Every path through a script must print exactly one tag that says where to go on."
    : null;
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
