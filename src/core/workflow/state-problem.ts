import type { StateName } from "../protocol/transition.ts";
import { type FoundWorkflows, NONE_FOUND } from "./found-workflow.ts";
import type { Platform } from "./platform.ts";
import { ruleProblem } from "./policy.ts";
import { resolveState, ruleOfFault } from "./resolve.ts";
import type { OnError, PromptFile, ScriptFile, StateFile, StateProblem } from "./state-file.ts";

/**
 * Why a state cannot do in this workflow what its author has declared: an empty
 * file, a rule that could never be met, an `on_error` that leads nowhere.
 * `null` where all is well. Asked before the step is executed.
 */
export function stateProblem(
  file: StateFile,
  names: readonly StateName[],
  platform: Platform,
  workflows: FoundWorkflows = NONE_FOUND,
): StateProblem | null {
  switch (file.kind) {
    case "prompt":
      return (
        promptProblem(file, file.body) ??
        ruleProblem(file.rules, names, platform, workflows) ??
        contextProblem(file, names, platform)
      );
    case "script":
      return (
        emptyScript(file) ??
        (file.onError === null ? null : onErrorProblem(file.onError, names, platform))
      );
  }
}

/** Why this text, the body or what was rendered from it, is no prompt; `null` where it is one. */
export function promptProblem({ bodyLine }: PromptFile, prompt: string): StateProblem | null {
  const at = { line: bodyLine, column: 1 };
  if (prompt.trim() !== "") return tooLong(prompt, at);
  return {
    rule: "RAY103",
    at,
    message: "The prompt is empty.",
    hint: "Write what is to be done into the file, below its front matter where it has one.",
  };
}

/** What the client reads of a prompt, in bytes of UTF-8; it refuses more. */
const MAX_PROMPT_BYTES = 10 * 1024 ** 2;

function tooLong(prompt: string, at: StateProblem["at"]): StateProblem | null {
  if (prompt.length * 3 <= MAX_PROMPT_BYTES) return null;
  const bytes = new TextEncoder().encode(prompt).length;
  if (bytes <= MAX_PROMPT_BYTES) return null;
  return {
    rule: "RAY109",
    at,
    message: `The prompt has ${bytes.toLocaleString("en")} bytes, and the client takes at most 10 MiB.`,
    hint: "Let the prompt name a file, which the model can read in parts.",
  };
}

/** Why a script can print nothing; `null` where it has any text. */
function emptyScript({ body, bodyLine, bodyColumn }: ScriptFile): StateProblem | null {
  if (body.trim() !== "") return null;
  return {
    rule: "RAY103",
    at: { line: bodyLine, column: bodyColumn },
    message: "The script is empty, so it prints no tag.",
    hint: 'Print the tag that says where to continue, such as: echo "<goto>NEXT</goto>"',
  };
}

/** Why the state that an `on_context` names cannot be entered; `null` where it can. */
function contextProblem(
  { context }: PromptFile,
  names: readonly StateName[],
  platform: Platform,
): StateProblem | null {
  if (context === null) return null;
  const found = resolveState(names, context.target, platform);
  if (found.ok) return null;
  return {
    rule: ruleOfFault(found.fault),
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
): StateProblem | null {
  const found = resolveState(names, target, platform);
  if (found.ok) return null;
  return {
    rule: ruleOfFault(found.fault),
    at,
    message: `The directive on_error=${target} leads nowhere. ${found.fault.message}`,
    hint: "Mend the directive in this line, or add the state that it names.",
  };
}
