import { defineErrors } from "../../language/basics/errors.ts";
import { TOP } from "../../language/basics/place.ts";
import { printPermission } from "../../language/permissions/permission.ts";
import { continuationFault, continuationOf } from "../../language/protocol/output-elements.ts";
import type { Continuation, StateName, Transition } from "../../language/protocol/transition.ts";
import {
  NO_WORKFLOWS,
  type ResolvedWorkflows,
} from "../../language/workflow/files/found-workflow.ts";
import type { Platform } from "../../language/workflow/files/platform.ts";
import {
  describeProblem,
  type FileProblem,
  type PromptFile,
  stateKind,
} from "../../language/workflow/files/state-file.ts";
import { transitionOfRule } from "../../language/workflow/policy/policy.ts";
import { listed } from "../../language/workflow/quote.ts";
import { resolveTransition } from "../../language/workflow/resolve.ts";
import type { BackendFacts } from "../backends/backend-facts.ts";
import { type Agent, FRESH, type Session, withSession } from "../model/agent.ts";
import { applyTransition, newAgent } from "../moves/apply-transition.ts";
import type { CallPermissions } from "./permissions.ts";

/** `path`: the file of the state. */
export const backendErrors = defineErrors({
  "workflow/beyond-backend": (path: string, problem: FileProblem) => ({
    message: describeProblem(path, problem),
    hint: problem.hint,
  }),
  "run/no-price": (state: StateName, backend: string, model: string | null) => ({
    message: `Cannot start with a budget: the price of ${model === null ? "the default model" : `the model ${model}`} of ${backend} is unknown, which answers ${state}.`,
    hint: `Name another model in ${state}, remove the budgets (--budget none), or estimate the cost with --allow-unpriced.`,
  }),
});

type Problem = Pick<FileProblem, "message" | "hint">;

/**
 * What a prompt state needs that the backend does not support; null if nothing. Checked before the state costs anything.
 * `permissions`: those of its calls.
 */
export function backendProblem(
  file: PromptFile,
  names: readonly StateName[],
  platform: Platform,
  permissions: CallPermissions,
  backend: BackendFacts,
  workflows: ResolvedWorkflows = NO_WORKFLOWS,
): FileProblem | null {
  const problem =
    permissionProblem(file.name, permissions, backend) ?? serverProblem(file, backend);
  if (problem !== null) return { at: TOP, ...problem };
  for (const rule of file.rules ?? []) {
    const { at } = rule;
    const resolved = resolveTransition(transitionOfRule(rule), names, platform);
    // Open rules are checked when a tag fills them.
    if (!resolved.ok) continue;
    const found = rule.path === undefined ? undefined : workflows.get(rule.path);
    // Another check reports an invalid workflow path.
    if (rule.path !== undefined && found?.ok !== true) continue;
    const entered = found?.ok === true ? { entry: found.entry } : {};
    const row = [{ ...resolved.transition, ...entered }];
    if (continuationFault(row) !== null) continue;
    const problem = pathProblem(speaking(file.name), row, backend);
    if (problem !== null) return { at, ...problem };
  }
  return null;
}

/** Restrictions that the backend would ignore. */
function permissionProblem(
  state: StateName,
  { level, allow, deny, tools, allowedTools, disallowedTools }: CallPermissions,
  { name, can }: BackendFacts,
): Problem | null {
  if (!can.tools && [tools, allowedTools, disallowedTools].some((list) => list !== null)) {
    return {
      message: `${state} restricts its tools, but the backend "${name}" does not support that.`,
      hint: "Remove the tool lists from the front matter and the settings, or use another backend.",
    };
  }
  const needed = [
    ...(level === "read-only" ? [["read-only", "permissions: read-only"] as const] : []),
    ...[...deny, ...allow].map((item) => [item.kind, printPermission(item)] as const),
  ];
  const beyond = needed.filter(([kind]) => !can.permissions.includes(kind));
  if (beyond.length === 0) return null;
  return {
    message: `The backend "${name}" cannot enforce the permissions of ${state}: ${listed(beyond.map(([, text]) => text))}.`,
    hint: "Remove them from the front matter and the settings, or use another backend.",
  };
}

function serverProblem(
  { name: state, requiredServers }: PromptFile,
  { name, can }: BackendFacts,
): Problem | null {
  if (can.mcp || requiredServers.length === 0) return null;
  return {
    message: `${state} requires MCP servers, but the backend "${name}" does not report whether they are connected.`,
    hint: "Remove require_mcp from the front matter, or use another backend.",
  };
}

/** Why the backend cannot continue the conversation of an agent after these transitions; null if it can. */
export function pathProblem(
  agent: Agent,
  row: readonly Transition[],
  { name, can }: BackendFacts,
): Problem | null {
  const way = continuationOf(row);
  const [only, other] = row;
  const { tag } = only === undefined || other !== undefined ? way : only;
  for (const { session, state } of conversations(agent, way)) {
    if (stateKind(state) === "script") continue;
    if (session.mode === "resume" && !can.resume) {
      return {
        message: `<${tag}> leads to ${state} in an existing conversation, but the backend "${name}" cannot resume one.`,
        hint: "Start each prompt with <reset>, or with <function> and a script as its return. Or use another backend.",
      };
    }
    if (session.mode === "branch" && !can.branch) {
      return {
        message: `<${tag}> leads to ${state} in a branch of the conversation, but the backend "${name}" cannot branch one.`,
        hint: "Use <function> instead of <call>: it starts a new conversation. Or use another backend.",
      };
    }
  }
  return null;
}

/** The sessions of the next prompts: the target, and the return state of a call. */
function conversations(
  agent: Agent,
  way: Continuation,
): readonly { readonly session: Session; readonly state: StateName }[] {
  const next = applyTransition(agent, way);
  if (next === null) return [];
  const pushed = next.stack.length > agent.stack.length ? next.stack.slice(-1) : [];
  return [next, ...pushed.map(({ session, returnTo: state }) => ({ session, state }))];
}

/** An agent with a conversation in this state. */
function speaking(state: StateName): Agent {
  const agent = newAgent({
    id: "main",
    workflow: null,
    state,
    cwd: null,
    attributes: {},
    readySince: 0,
  });
  return withSession({ ...agent, session: FRESH }, "any");
}
