import { placeText } from "../../language/basics/place.ts";
import { readReply } from "../../language/protocol/reply.ts";
import {
  describeProblem,
  type FileProblem,
  type PromptFile,
} from "../../language/workflow/files/state-file.ts";
import {
  continuationText,
  gateText,
  permissionText,
  reminderText,
} from "../../language/workflow/policy/reminder.ts";
import { promptProblem } from "../../language/workflow/state-problem.ts";
import {
  type Placeholder,
  placeholdersIn,
  renderTemplate,
} from "../../language/workflow/template.ts";
import { nameOfStep, type Step } from "../../machine/decide/step.ts";
import { hiddenAttributes, stepValues } from "../../machine/decide/step-values.ts";
import { runningOf } from "../../machine/model/activity.ts";
import { callsWithout, describeCall, NO_RULING } from "../../machine/model/denial.ts";
import { failure } from "../../machine/model/failure.ts";
import { failedAttempt, type StepOutcome } from "../../machine/model/outcome.ts";
import type { Backend, Backends, Invocation, Reply } from "../ports/backend.ts";
import type { Executor } from "../ports/executor.ts";
import { TOKEN_VARIABLE } from "../ports/process.ts";
import type { StepListener } from "../ports/step-events.ts";
import { callSandbox } from "./sandbox.ts";
import { existing, gitPrograms } from "./sandbox-paths.ts";
import { supportedCall, supportedSession } from "./supported-call.ts";

/**
 * Runs prompt states on a coding agent. Sends the whole prompt, or a short note if the conversation
 * already contains the prompt (docs/durability.md, "How it works"). `elapsed`: monotonic time, ms.
 */
export function promptExecutor(backends: Pick<Backends, "of">, elapsed: () => number): Executor {
  const warned = new Set<string>();
  return {
    async execute(given, cancellation, listener, recorder) {
      const backend: Backend = backends.of(given.backend.name);
      const step = { ...given, session: supportedSession(given, backend) };
      const file = promptFile(step);
      const startedAt = elapsed();
      const message = compose(step, file);
      warnOnce(warned, step, file, message, listener);
      const problem = promptProblem(file, message.text);
      if (problem !== null) return emptyPrompt(step, problem, elapsed() - startedAt);
      recorder.prompt(message.text);
      const inside = callSandbox(step, backend);
      if (!inside.ok) return failedAttempt(inside.failure, { durationMs: elapsed() - startedAt });
      const call = invocation(step, file, message, inside.sandbox);
      if (call.effort !== null && !backend.can.effort) warnOfEffort(warned, step, listener);
      const within = supportedCall(call, backend);
      const reply = await backend.invoke(within, cancellation, listener, recorder);
      return outcomeOf(reply, elapsed() - startedAt);
    },
  };
}

function promptFile({ file }: Step): PromptFile {
  if (file.kind === "prompt") return file;
  throw new Error(`${file.name} is not a prompt state`);
}

interface Message {
  readonly text: string;
  readonly missing: readonly Placeholder[];
  /** Placeholders that name an attribute of the agent but show a built-in value. */
  readonly shadowed: readonly Placeholder[];
  /**
   * The text may contain untrusted parts: `@path` must not attach a file (docs/authoring.md,
   * "Templates").
   */
  readonly disarmed: boolean;
}

function compose(step: Step, file: PromptFile): Message {
  const { delivery, fault, sentBack } = step.agent;
  const { rules } = file;
  // A note only makes sense in a conversation that contains the prompt.
  const continued = step.session.mode === "resume";
  switch (delivery) {
    case "prompt":
      return renderPrompt(step, file);
    case "reminder": {
      // The rules may have been deleted since the reminder was scheduled.
      if (fault === null || rules === null) return renderPrompt(step, file);
      return noted(reminderText(fault, rules), continued, step, file);
    }
    case "gate":
      if (sentBack === null) return renderPrompt(step, file);
      return noted(gateText(sentBack, rules), continued, step, file);
    case "allowed":
    case "denied":
      return noted(permissionNote(step, delivery, rules), continued, step, file);
    case "interrupted":
    case "capped":
      if (!continued) return renderPrompt(step, file);
      return { text: continuationText(delivery, rules), missing: [], shadowed: [], disarmed: true };
  }
}

function permissionNote(
  { agent: { ruling = NO_RULING } }: Step,
  delivery: "allowed" | "denied",
  rules: PromptFile["rules"],
): string {
  const { calls } = ruling;
  const allowed = delivery === "allowed" ? calls.filter(({ exact }) => exact !== undefined) : [];
  const denied = callsWithout(calls, allowed);
  return permissionText(allowed.map(describeCall), denied.map(describeCall), rules);
}

/** The note alone if the conversation contains the prompt, else the prompt followed by the note. */
function noted(note: string, continued: boolean, step: Step, file: PromptFile): Message {
  if (continued) return { text: note, missing: [], shadowed: [], disarmed: true };
  const prompt = renderPrompt(step, file);
  return { ...prompt, text: `${prompt.text}\n\n${note}`, disarmed: true };
}

function renderPrompt(step: Step, file: PromptFile): Message {
  const { prompt, missing, disarmed } = renderTemplate(file.body, stepValues(step));
  const hidden = hiddenAttributes(step);
  const shadowed = placeholdersIn(file.body).filter(({ name }) => hidden.includes(name));
  return { text: prompt, missing, shadowed, disarmed };
}

function warnOnce(
  warned: Set<string>,
  step: Step,
  file: PromptFile,
  { missing, shadowed }: Message,
  listener: StepListener,
): void {
  const warn = ({ name, line }: Placeholder, words: string) => {
    const key = JSON.stringify([step.run, step.source, file.name, name, words]);
    if (warned.has(key)) return;
    warned.add(key);
    const place = placeText(step.source, { line: file.bodyLine + line - 1 });
    listener.warning(`${place}: {{${name}}} ${words}`);
  };
  for (const one of missing) warn(one, "has no value and is left unchanged.");
  for (const one of shadowed) {
    warn(
      one,
      "is a built-in value that hides the attribute of the same name. Rename the attribute.",
    );
  }
}

/** Warns once per run and backend: the message is the same for each state. */
function warnOfEffort(warned: Set<string>, step: Step, listener: StepListener): void {
  const key = JSON.stringify([step.run, step.backend.name]);
  if (warned.has(key)) return;
  warned.add(key);
  listener.warning(
    `${step.path}: the effort is ignored, because the backend "${step.backend.name}" does not support it.`,
  );
}

/** Front matter overrides the run's settings. A list replaces a list. */
function invocation(
  step: Step,
  file: PromptFile,
  { text, disarmed }: Message,
  sandbox: Invocation["sandbox"],
): Invocation {
  const { settings, agent, permissions } = step;
  if (permissions === null) throw new Error(`${file.name} has no permissions`);
  return {
    prompt: text,
    disarmed,
    session: step.session,
    cwd: step.cwd,
    model: file.model ?? settings.model,
    effort: file.effort ?? settings.effort,
    fallbackModel: file.fallbackModel ?? settings.fallbackModel,
    maxTurns: file.maxTurns ?? settings.maxTurns,
    ...permissions,
    deniedPaths: [...step.deniedPaths, ...existing(gitPrograms(sandbox?.writable ?? []))],
    deniedNames: step.deniedNames,
    sandbox,
    grants: step.grants ?? [],
    maxBudgetMicroUsd: step.capMicroUsd,
    environment: step.environment,
    env: {
      RAYMOND_WORKFLOW_ID: step.run,
      RAYMOND_AGENT_ID: agent.id,
      [TOKEN_VARIABLE]: step.token,
    },
    token: step.token,
    timeoutMs: settings.timeoutMs,
    toolTimeoutMs: settings.toolTimeoutMs,
    ...(step.contextTokens !== undefined && { contextTokens: step.contextTokens }),
    deadline: step.deadline,
    requiredServers: file.requiredServers,
    state: nameOfStep(step),
    number: runningOf(agent)?.call ?? 0,
    variables: stepValues(step),
  };
}

function outcomeOf(reply: Reply, durationMs: number): StepOutcome {
  if (reply.kind === "failure") return { ...reply, durationMs };
  const { text, ...usage } = reply;
  const reading = readReply(text ?? "");
  return { ...usage, kind: "output", reading, spoke: text !== null, durationMs };
}

function emptyPrompt({ source }: Step, problem: FileProblem, durationMs: number): StepOutcome {
  const why = failure("deterministic", describeProblem(source, problem), problem.hint);
  return failedAttempt(why, { durationMs });
}
