import type { StateName } from "../protocol/transition.ts";
import { NO_WORKFLOWS, type ResolvedWorkflows } from "./files/found-workflow.ts";
import type { Platform } from "./files/platform.ts";
import type {
  OnError,
  PromptFile,
  ScriptFile,
  StateFile,
  StateProblem,
} from "./files/state-file.ts";
import { ruleProblem } from "./policy/policy.ts";
import { resolveState, ruleOfFault } from "./resolve.ts";

/**
 * Why a run would refuse this state: an empty file, a rule that can never match, an invalid
 * `on_error`. Null if it would not. Checked before the step starts.
 */
export function stateProblem(
  file: StateFile,
  names: readonly StateName[],
  platform: Platform,
  workflows: ResolvedWorkflows = NO_WORKFLOWS,
): StateProblem | null {
  switch (file.kind) {
    case "prompt":
      return (
        promptProblem(file, file.body) ??
        ruleProblem(file.rules, names, platform, workflows) ??
        targetProblem("on_context", file.context, names, platform)
      );
    case "script":
      return (
        emptyScript(file) ??
        targetProblem(
          `directive on_error=${file.onError?.target ?? ""}`,
          file.onError,
          names,
          platform,
        )
      );
  }
}

/** Why a body or rendered prompt cannot be sent; null if it can. */
export function promptProblem({ bodyLine }: PromptFile, prompt: string): StateProblem | null {
  const at = { line: bodyLine, column: 1 };
  if (prompt.trim() !== "") return tooLong(prompt, at);
  return {
    rule: "RAY103",
    at,
    message: "The prompt is empty.",
    hint: "Describe the task in the file, below the front matter.",
  };
}

/** Limit of the client, in bytes of UTF-8. */
const MAX_PROMPT_BYTES = 10 * 1024 ** 2;

function tooLong(prompt: string, at: StateProblem["at"]): StateProblem | null {
  if (prompt.length * 3 <= MAX_PROMPT_BYTES) return null;
  const bytes = new TextEncoder().encode(prompt).length;
  if (bytes <= MAX_PROMPT_BYTES) return null;
  return {
    rule: "RAY109",
    at,
    message: `The prompt has ${bytes.toLocaleString("en")} bytes. The client accepts at most 10 MiB.`,
    hint: "Move data to a file and name it in the prompt: the model can read it in parts.",
  };
}

/** An empty script prints no tag. */
function emptyScript({ body, bodyLine, bodyColumn }: ScriptFile): StateProblem | null {
  if (body.trim() !== "") return null;
  return {
    rule: "RAY103",
    at: { line: bodyLine, column: bodyColumn },
    message: "The script is empty, so it prints no tag.",
    hint: 'Print a tag, such as: echo "<goto>NEXT</goto>"',
  };
}

function targetProblem(
  what: string,
  key: Pick<OnError, "target" | "at"> | null,
  names: readonly StateName[],
  platform: Platform,
): StateProblem | null {
  const found = key && resolveState(names, key.target, platform);
  if (key === null || found === null || found.ok) return null;
  return {
    rule: ruleOfFault(found.fault),
    at: key.at,
    message: `Invalid ${what}: ${found.fault.message}`,
    hint: "Correct the name, or add the state.",
  };
}
