import { wayFault, wayOf } from "../protocol/row.ts";
import type { StateName, Transition, Way } from "../protocol/transition.ts";
import { type FoundWorkflows, NONE_FOUND } from "../workflow/found-workflow.ts";
import type { Platform } from "../workflow/platform.ts";
import { transitionOfRule } from "../workflow/policy.ts";
import { resolveTransition } from "../workflow/resolve.ts";
import { type FileProblem, type PromptFile, stateKind } from "../workflow/state-file.ts";
import { type Agent, FRESH, hold, type Session } from "./agent.ts";
import { applyTransition, newAgent } from "./apply-transition.ts";
import type { BackendFacts } from "./backend-facts.ts";
import type { RunSettings } from "./run-state.ts";

/** What a backend cannot do, and what an author can do about it. */
type Problem = Pick<FileProblem, "message" | "hint">;

type ToolLists = Pick<RunSettings, "tools" | "allowedTools" | "disallowedTools">;

/** The lists of tools that a call is held to: what the front matter says wins over the settings. */
export function toolsOf(file: PromptFile, settings: ToolLists): ToolLists {
  return {
    tools: file.tools ?? settings.tools,
    allowedTools: file.allowedTools ?? settings.allowedTools,
    disallowedTools: file.disallowedTools ?? settings.disallowedTools,
  };
}

/**
 * What a prompt state declares that this backend cannot do; null where it can
 * do it all. Asked before the state costs anything.
 */
export function backendProblem(
  file: PromptFile,
  names: readonly StateName[],
  platform: Platform,
  settings: ToolLists,
  backend: BackendFacts,
  workflows: FoundWorkflows = NONE_FOUND,
): FileProblem | null {
  const lists = Object.values(toolsOf(file, settings));
  if (!backend.can.tools && lists.some((list) => list !== null)) {
    return {
      at: { line: 1, column: 1 },
      message: `The tools of ${file.name} are limited, and the backend "${backend.name}" cannot be held to that.`,
      hint: "Take the lists of tools out of the front matter and the settings, or use another backend.",
    };
  }
  for (const rule of file.rules ?? []) {
    const { at } = rule;
    const resolved = resolveTransition(transitionOfRule(rule), names, platform);
    // What a rule leaves open is told when a tag has filled it.
    if (!resolved.ok) continue;
    const found = rule.path === undefined ? undefined : workflows.get(rule.path);
    // Where a rule's workflow is none, that is told of the rule.
    if (rule.path !== undefined && found?.ok !== true) continue;
    const entered = found?.ok === true ? { entry: found.entry } : {};
    const row = [{ ...resolved.transition, ...entered }];
    if (wayFault(row) !== null) continue;
    const problem = pathProblem(speaking(file.name), row, backend);
    if (problem !== null) return { at, ...problem };
  }
  return null;
}

/** Why an agent whose conversation stands so cannot go where this row leads it; null where it can. */
export function pathProblem(
  agent: Agent,
  row: readonly Transition[],
  { name, can }: BackendFacts,
): Problem | null {
  const way = wayOf(row);
  const [only, other] = row;
  const { tag } = only === undefined || other !== undefined ? way : only;
  for (const { session, state } of conversations(agent, way)) {
    if (stateKind(state) === "script") continue;
    if (session.mode === "resume" && !can.resume) {
      return {
        message: `<${tag}> leads to ${state} in a conversation that is under way, and the backend "${name}" cannot go on with one.`,
        hint: "Begin each prompt anew, by <reset>, or by <function> with a script as its return; or use another backend.",
      };
    }
    if (session.mode === "branch" && !can.branch) {
      return {
        message: `<${tag}> leads to ${state} in a branch of the conversation, and the backend "${name}" cannot branch one.`,
        hint: "Write <function> in place of <call>: it begins a new conversation. Or use another backend.",
      };
    }
  }
  return null;
}

/** The conversations that a way leads to: at once, and when what it calls has ended. */
function conversations(
  agent: Agent,
  way: Way,
): readonly { readonly session: Session; readonly state: StateName }[] {
  const next = applyTransition(agent, way);
  if (next === null) return [];
  const pushed = next.stack.length > agent.stack.length ? next.stack.slice(-1) : [];
  return [next, ...pushed.map(({ session, returnTo: state }) => ({ session, state }))];
}

/** An agent that has just said something in this state. */
function speaking(state: StateName): Agent {
  const agent = newAgent({
    id: "main",
    workflow: null,
    state,
    cwd: null,
    attributes: {},
    readySince: 0,
  });
  return hold({ ...agent, session: FRESH }, "any");
}
