import type { Fault, OrFault } from "../../language/protocol/fault.ts";
import { type OutputElement, readElements } from "../../language/protocol/output-elements.ts";
import { printTransition } from "../../language/protocol/print.ts";
import { isStart, isWorkflowTransition, type Start } from "../../language/protocol/transition.ts";
import { describeProblem } from "../../language/workflow/files/state-file.ts";
import type { ResolvedSchema } from "../../language/workflow/named-schemas.ts";
import {
  impliedTransition,
  ruleProblem,
  workflowPathsOf,
} from "../../language/workflow/policy/policy.ts";
import { quoted } from "../../language/workflow/quote.ts";
import { withSession } from "../model/agent.ts";
import type { StepOutcome } from "../model/outcome.ts";
import { pathProblem } from "./backend-problem.ts";
import { type SchemaUse, schemaKey, schemasFor } from "./check-payload.ts";
import { decideDenials } from "./decide-denials.ts";
import { decideFailure, fail, failScript } from "./decide-failure.ts";
import type { Decision, DecisionContext } from "./decision.ts";
import type { Step } from "./step.ts";
import { validateOutput } from "./validate-output.ts";

/** Reminders per visit before the step fails (docs/protocol.md, "Invalid output"). */
export const MAX_REMINDERS = 3;

/** The output of a step. Resolve its folders and workflows before {@link decide}. */
export interface ParsedOutput {
  readonly elements: RequestedElements;
  /** The `cd` folders, as written. */
  readonly folders: readonly string[];
  /** The workflow paths, or those in the rules of the state. */
  readonly workflows: readonly string[];
  readonly schemas: readonly SchemaUse[];
  readonly starts: readonly Start[];
}

/** Parses the output of a step; empty for other outcomes. */
export function parseOutput(step: Step, outcome: StepOutcome): ParsedOutput {
  if (outcome.kind !== "output") {
    const elements = { ok: true, items: [], implied: false } as const;
    return { elements, folders: [], workflows: [], schemas: [], starts: [] };
  }
  const elements = elementsOf(step, outcome);
  const requested = elements.ok
    ? elements.items.flatMap((item) => (item.ok ? [item.transition] : []))
    : [];
  const folders = requested.flatMap((one) => ("cd" in one ? (one.cd ?? []) : []));
  const paths = requested.flatMap((one) => (isWorkflowTransition(one) ? one.path : []));
  const workflows = step.file.kind === "prompt" ? workflowPathsOf(step.file.rules) : paths;
  const schemas = requested.length === 0 ? [] : schemasFor(step, requested);
  const starts = requested.filter(isStart);
  return {
    ...{ elements, schemas, starts },
    ...{ folders: [...new Set(folders)], workflows: [...new Set(workflows)] },
  };
}

/** Evaluates an outcome by the rules of its state. */
export function decide(
  step: Step,
  outcome: StepOutcome,
  circumstances: DecisionContext,
  parsed: ParsedOutput = parseOutput(step, outcome),
): Decision {
  switch (outcome.kind) {
    case "failure":
      return decideFailure(step, outcome, circumstances);
    case "checked":
      return outcome.problem === null
        ? { kind: "pass" }
        : { kind: "send-back", problem: outcome.problem, said: outcome.said };
    case "output":
      return (
        decideDenials(step, outcome.denials) ?? decideOutput(step, outcome, circumstances, parsed)
      );
  }
}

type Output = Extract<StepOutcome, { kind: "output" }>;

type RequestedElements = OrFault<{
  readonly items: readonly OutputElement[];
  readonly implied: boolean;
}>;

/** The elements of an output, or the implied transition. */
function elementsOf(step: Step, outcome: Output): RequestedElements {
  const { file } = step;
  if (outcome.reading.oversized) return { ok: false, fault: TOO_LARGE };
  const row = readElements(outcome.reading);
  if (row.ok) return { ...row, implied: false };
  if (!outcome.spoke) return { ok: false, fault: noReply(step) };
  // A capped reply without a tag is incomplete.
  if (row.fault.code !== "no-tag" || outcome.capped || file.kind === "script") return row;
  const { endedWork } = outcome;
  if (endedWork !== undefined) return { ok: false, fault: unfinished(row.fault, endedWork) };
  const transition = impliedTransition(file.rules);
  if (transition === null) return row;
  const item = { ok: true, transition, shown: printTransition(transition) } as const;
  return { ok: true, items: [item], implied: true };
}

function decideOutput(
  step: Step,
  outcome: Output,
  circumstances: DecisionContext,
  { elements: requested, schemas }: ParsedOutput,
): Decision {
  const { file, names, platform } = step;
  if (!requested.ok) return faulty(step, outcome, requested.fault);

  // An invalid rule is an error of the workflow: a reminder does not help.
  const rules = file.kind === "prompt" ? file.rules : null;
  const problem = ruleProblem(rules, names, platform, circumstances.workflows);
  if (problem !== null) return fail(describeProblem(step.source, problem), problem.hint);
  const unusable = unusableSchema(schemas, circumstances);
  if (unusable !== null) return fail(unusable.message, unusable.hint);
  const { worktrees } = circumstances;
  if (worktrees?.ok === false) return fail(worktrees.message, worktrees.hint);
  const judged = validateOutput(requested.items, step, circumstances);
  if (judged.ok) {
    const { transitions, checks } = judged;
    const beyond = pathProblem(withSession(step.agent, outcome.session), transitions, step.backend);
    // An error of the workflow: a reminder does not help.
    if (beyond !== null) return fail(`${step.path}: ${beyond.message}`, beyond.hint);
    const { implied } = requested;
    if (checks.length === 0) return { kind: "move", transitions, implied };
    return { kind: "verify", gate: { transitions, implied, checks, starts: 0, setup: undefined } };
  }
  const { fault } = judged;
  // An error in the implied transition: a reminder does not help.
  return requested.implied ? fail(fault.message) : faulty(step, outcome, fault);
}

/** An error of the workflow: a reminder does not help. */
function unusableSchema(
  uses: readonly SchemaUse[],
  { schemas }: DecisionContext,
): Extract<ResolvedSchema, { ok: false }> | null {
  for (const use of uses) {
    const found = schemas?.get(schemaKey(use));
    if (found?.ok === false) return found;
  }
  return null;
}

/** The model wanted to continue when its background work completes. */
function unfinished({ code, message }: Fault, work: readonly string[]): Fault {
  const ended = `Your background work was ended before it completed: ${work.join(", ")}.`;
  return { code, message: `${message} ${ended}` };
}

function noReply(step: Step): Fault {
  const command = commandOf(step);
  const message =
    command === null
      ? "The model did not reply."
      : `The model did not reply: the prompt starts with ${quoted(command)}, which the client runs as its own command.`;
  return { code: "no-reply", message };
}

/** The command of the client at the start of the prompt, such as `/clear`; null if there is none. */
function commandOf({ file, agent }: Step): string | null {
  if (file.kind === "script" || agent.delivery !== "prompt") return null;
  return /^\/\S+/.exec(file.body)?.[0] ?? null;
}

/** Whether a command at the start consumed the rest of the prompt. */
function isSwallowed(step: Step): boolean {
  return commandOf(step) !== null && step.file.kind === "prompt" && /\n\s*\S/.test(step.file.body);
}

const WRITE_A_PROMPT =
  "Describe the task in words, without a command at the start. For a fresh conversation, enter the state with <reset> or <function>.";

function scriptHint({ code }: Fault): string | null {
  if (code === "payload-too-large") return BY_FILE;
  if (code === "schema-mismatch") return MATCH;
  const counted = code === "no-tag" || code === "several-tags";
  return counted
    ? "Every path through a script must print exactly one tag for the next state."
    : null;
}

function promptHint(step: Step, { code }: Fault): string {
  if (code === "payload-too-large") return BY_FILE;
  if (code === "no-reply" && commandOf(step) !== null) return WRITE_A_PROMPT;
  return "Declare allowed_transitions in the front matter of this state: the model then gets reminders.";
}

const MATCH = "Correct the output of the script, or the schema.";

const BY_FILE = "Write large data to a file, and name the file in the result.";

const TOO_LARGE: Fault = {
  code: "payload-too-large",
  message: "The payload exceeds 16 MiB.",
};

function faulty(step: Step, outcome: Output, fault: Fault): Decision {
  const { file, agent } = step;
  if (outcome.capped) return { kind: "continue", problem: fault.message };
  if (file.kind === "script") return failScript(step, fault.message, scriptHint(fault));
  if (file.rules === null) return fail(fault.message, promptHint(step, fault));
  // The model never received the prompt: a reminder does not help.
  if (fault.code === "no-reply" && isSwallowed(step)) return fail(fault.message, WRITE_A_PROMPT);
  if (agent.reminders < MAX_REMINDERS) return { kind: "remind", fault };
  return fail(
    `${fault.message} Failed after ${String(MAX_REMINDERS)} reminders.`,
    "Check the last replies in the debug files, and name the tag in the prompt.",
  );
}
