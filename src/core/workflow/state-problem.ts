import type { StateName } from "../protocol/transition.ts";
import { type FoundWorkflows, NONE_FOUND } from "./found-workflow.ts";
import type { Platform } from "./platform.ts";
import { ruleProblem } from "./policy.ts";
import { resolveState } from "./resolve.ts";
import type { FileProblem, OnError, PromptFile, StateFile } from "./state-file.ts";

/**
 * Why a state cannot do in this workflow what its author has declared: an empty
 * prompt, a rule that could never be met, an `on_error` that leads nowhere.
 * `null` where all is well. Asked before the step is executed.
 */
export function stateProblem(
  file: StateFile,
  names: readonly StateName[],
  platform: Platform,
  workflows: FoundWorkflows = NONE_FOUND,
): FileProblem | null {
  switch (file.kind) {
    case "prompt":
      return (
        promptProblem(file, file.body) ??
        ruleProblem(file.rules, names, platform, workflows) ??
        contextProblem(file, names, platform)
      );
    case "script":
      return file.onError === null ? null : onErrorProblem(file.onError, names, platform);
  }
}

/** Why this text, the body or what was rendered from it, is no prompt; `null` where it is one. */
export function promptProblem({ bodyLine }: PromptFile, prompt: string): FileProblem | null {
  if (prompt.trim() !== "") return null;
  return {
    at: { line: bodyLine, column: 1 },
    message: "The prompt is empty.",
    hint: "Write what is to be done into the file, below its front matter where it has one.",
  };
}

/** Why the state that an `on_context` names cannot be entered; `null` where it can. */
function contextProblem(
  { context }: PromptFile,
  names: readonly StateName[],
  platform: Platform,
): FileProblem | null {
  if (context === null) return null;
  const found = resolveState(names, context.target, platform);
  if (found.ok) return null;
  return {
    at: context.at,
    message: `The on_context of this state leads nowhere. ${found.fault.message}`,
    hint: "Mend it in this line, or add the state that it names.",
  };
}

/** Why the state that an `on_error` names cannot be entered; `null` where it can. */
export function onErrorProblem(
  { target, at }: OnError,
  names: readonly StateName[],
  platform: Platform,
): FileProblem | null {
  const found = resolveState(names, target, platform);
  if (found.ok) return null;
  return {
    at,
    message: `The directive on_error=${target} leads nowhere. ${found.fault.message}`,
    hint: "Mend the directive in this line, or add the state that it names.",
  };
}
