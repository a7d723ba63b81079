import { runningOf } from "../core/machine/activity.ts";
import { toolsOf } from "../core/machine/backend-problem.ts";
import { failure } from "../core/machine/failure.ts";
import { failedAttempt, type StepOutcome } from "../core/machine/outcome.ts";
import { nameOfStep, type Step } from "../core/machine/step.ts";
import { hiddenAttributes, stepValues } from "../core/machine/step-values.ts";
import { placeText } from "../core/place.ts";
import { readReply } from "../core/protocol/reply.ts";
import { continuationText, gateText, reminderText } from "../core/workflow/reminder.ts";
import { describeProblem, type FileProblem, type PromptFile } from "../core/workflow/state-file.ts";
import { promptProblem } from "../core/workflow/state-problem.ts";
import { type Placeholder, placeholdersIn, renderTemplate } from "../core/workflow/template.ts";
import type { Backend, Invocation, Reply } from "../ports/backend.ts";
import type { Executor } from "../ports/executor.ts";
import { TOKEN_VARIABLE } from "../ports/process.ts";
import type { StepListener } from "../ports/step-events.ts";
import { callWithin, sessionWithin } from "./within-reach.ts";

/**
 * Runs prompt states on a coding agent. What is sent depends on where the step
 * stands (docs/durability.md, "How it works"): the whole prompt, or a short note
 * into the conversation that is already there. `elapsed` gives ms since some
 * moment.
 */
export function promptExecutor(backend: Backend, elapsed: () => number): Executor {
  const warned = new Set<string>();
  return {
    async execute(given, cancellation, listener, recorder) {
      const step = { ...given, session: sessionWithin(given, backend) };
      const file = promptFile(step);
      const begun = elapsed();
      const message = compose(step, file);
      warnOnce(warned, step, file, message, listener);
      const problem = promptProblem(file, message.text);
      if (problem !== null) return emptyPrompt(step, problem, elapsed() - begun);
      recorder.prompt(message.text);
      const call = invocation(step, file, message);
      if (call.effort !== null && !backend.can.effort) warnOfEffort(warned, step, listener);
      const within = callWithin(call, backend);
      const reply = await backend.invoke(within, cancellation, listener, recorder);
      return outcomeOf(reply, elapsed() - begun);
    },
  };
}

function promptFile({ file }: Step): PromptFile {
  if (file.kind === "prompt") return file;
  throw new Error(`${file.name} is not a prompt state`);
}

/** What is sent, and what is known about it. */
interface Message {
  readonly text: string;
  /** Placeholders without a value. */
  readonly missing: readonly Placeholder[];
  /** Placeholders that name an attribute of the agent, and show a value of raymond's own. */
  readonly taken: readonly Placeholder[];
  /**
   * It may hold text that its author did not write: `@path` must not attach a
   * file (docs/authoring.md, "Templates").
   */
  readonly disarmed: boolean;
}

function compose(step: Step, file: PromptFile): Message {
  const { delivery, fault, sentBack } = step.agent;
  const { rules } = file;
  // A note makes sense only to a conversation that holds the prompt.
  const continued = step.session.mode === "resume";
  switch (delivery) {
    case "prompt":
      return renderPrompt(step, file);
    case "reminder": {
      // Rules that were deleted since leave nothing to remind of.
      if (fault === null || rules === null) return renderPrompt(step, file);
      return noted(reminderText(fault, rules), continued, step, file);
    }
    case "gate":
      if (sentBack === null) return renderPrompt(step, file);
      return noted(gateText(sentBack, rules), continued, step, file);
    case "interrupted":
    case "capped":
      if (!continued) return renderPrompt(step, file);
      return { text: continuationText(delivery, rules), missing: [], taken: [], disarmed: true };
  }
}

/** A note alone where the conversation holds the prompt, else below it. */
function noted(note: string, continued: boolean, step: Step, file: PromptFile): Message {
  if (continued) return { text: note, missing: [], taken: [], disarmed: true };
  const prompt = renderPrompt(step, file);
  return { ...prompt, text: `${prompt.text}\n\n${note}`, disarmed: true };
}

function renderPrompt(step: Step, file: PromptFile): Message {
  const { prompt, missing, disarmed } = renderTemplate(file.body, stepValues(step));
  const hidden = hiddenAttributes(step);
  const taken = placeholdersIn(file.body).filter(({ name }) => hidden.includes(name));
  return { text: prompt, missing, taken, disarmed };
}

function warnOnce(
  warned: Set<string>,
  step: Step,
  file: PromptFile,
  { missing, taken }: Message,
  listener: StepListener,
): void {
  const warn = ({ name, line }: Placeholder, words: string) => {
    const key = JSON.stringify([step.run, step.source, file.name, name, words]);
    if (warned.has(key)) return;
    warned.add(key);
    const place = placeText(step.source, { line: file.bodyLine + line - 1 });
    listener.warning(`${place}: {{${name}}} ${words}`);
  };
  for (const one of missing) warn(one, "has no value, and stays as it is written.");
  for (const one of taken) {
    warn(one, "is raymond's own value here, and not the attribute of that name: rename it.");
  }
}

/** Once a run: it is the same for each state. */
function warnOfEffort(warned: Set<string>, step: Step, listener: StepListener): void {
  const key = JSON.stringify([step.run]);
  if (warned.has(key)) return;
  warned.add(key);
  listener.warning(
    `${step.path}: an effort is asked for, and the backend "${step.backend.name}" knows none: it is left out.`,
  );
}

/** What the front matter says wins over the run's settings; a list replaces a list. */
function invocation(step: Step, file: PromptFile, { text, disarmed }: Message): Invocation {
  const { settings, agent } = step;
  return {
    prompt: text,
    disarmed,
    session: step.session,
    cwd: step.cwd,
    model: file.model ?? settings.model,
    effort: file.effort ?? settings.effort,
    skipPermissions: settings.skipPermissions,
    ...toolsOf(file, settings),
    deniedPaths: step.deniedPaths,
    maxBudgetMicroUsd: step.capMicroUsd,
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
    state: nameOfStep(step),
    number: runningOf(agent)?.call ?? 0,
    variables: stepValues(step),
  };
}

function outcomeOf(reply: Reply, durationMs: number): StepOutcome {
  switch (reply.kind) {
    case "reply": {
      const { text, session, capped, denials, spend, exitCode, stretch } = reply;
      const reading = readReply(text ?? "");
      const spoke = text !== null;
      return {
        kind: "output",
        reading,
        spoke,
        session,
        capped,
        denials,
        spend,
        exitCode,
        durationMs,
        ...(stretch === undefined ? {} : { stretch }),
      };
    }
    case "failure":
      return { ...reply, durationMs };
  }
}

function emptyPrompt({ source }: Step, problem: FileProblem, durationMs: number): StepOutcome {
  const why = failure("deterministic", describeProblem(source, problem), problem.hint);
  return failedAttempt(why, { durationMs });
}
