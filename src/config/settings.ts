import * as z from "zod/mini";
import { LEVELS } from "../language/permissions/permission.ts";
import { EFFORTS, ON_DENIED } from "../language/workflow/files/state-file.ts";
import { IMAGE_EXPECTS, isImage } from "../language/workflow/policy/container.ts";
import { SANDBOX_EXPECTS } from "../language/workflow/policy/sandbox.ts";
import { FALLBACK_AFTER_MS } from "../machine/backends/choose-backend.ts";
import { CHANGED_FILES, ON_ASK, SNAPSHOT_MODES } from "../machine/model/run-state.ts";
import { CLIENTS } from "./client-setting.ts";
import { ENVIRONMENT_SETTINGS } from "./environment-settings.ts";
import type { Option } from "./option.ts";
import {
  agents,
  atMost,
  dollars,
  none,
  ON_OFF,
  PERMISSIONS,
  SPAN,
  SPAN_OR_NEVER,
  sandbox,
  TOOLS,
  unset,
  words,
} from "./setting-values.ts";
import type { Settings } from "./switches.ts";

type Table = { readonly [Field in keyof Settings]: Omit<Option<Field>, "field"> };

/** In the order of the template. */
const TABLE: Table = {
  agents: {
    key: "agent",
    schema: agents,
    expects: 'the name of a coding agent such as "codex", a list of names, or "default"',
    default: null,
    list: true,
    nullWord: "default",
    help: "Coding agent of prompts; of several ones, the next runs a step while an earlier one waits.",
    variable: "RAYMOND_AGENT",
    flag: { value: "list", help: "Coding agent, e.g. codex; a list is in order of preference" },
  },
  fallbackAfterMs: {
    key: "fallback_after",
    ...SPAN,
    default: FALLBACK_AFTER_MS,
    help: "With a list of agents: use the next one if a usage limit or outage lasts this long.",
    flag: {
      value: "duration",
      help: "Use the next agent of a list for waits of DURATION or longer",
    },
  },
  budgetMicroUsd: {
    key: "budget",
    schema: () => z.union([none(), dollars()]),
    expects: 'a number of dollars above 0, or "none"',
    default: 10_000_000,
    unit: "micro-dollars",
    nullWord: "none",
    help: 'Budget of a run in US dollars; "none" for no limit.',
    variable: "RAYMOND_BUDGET",
    numeric: true,
    flag: { value: "usd", help: 'Spending limit, or "none"', standard: "10.00" },
  },
  allowUnpriced: {
    key: "allow_unpriced",
    ...ON_OFF,
    default: false,
    help: "Let runs with a budget use models without a known price; their cost is estimated.",
    flag: { help: "Allow models without a known price in runs with a budget" },
  },
  model: {
    key: "model",
    schema: () => z.union([unset(), words()]),
    expects: 'the name of a model such as "sonnet", or "default"',
    default: null,
    nullWord: "default",
    help: "Default model: an alias or a full id that the client accepts.",
    variable: "RAYMOND_MODEL",
    flag: { value: "name", help: "Default model: opus, sonnet, haiku or a full ID" },
  },
  effort: {
    key: "effort",
    schema: () => z.union([unset(), z.enum(EFFORTS)]),
    expects: `${EFFORTS.map((effort) => `"${effort}"`).join(", ")} or "default"`,
    default: null,
    nullWord: "default",
    help: "Default effort of the model: low, medium, high, xhigh, max.",
    variable: "RAYMOND_EFFORT",
    flag: { value: "level", help: "Default reasoning effort" },
  },
  fallbackModel: {
    key: "fallback_model",
    schema: () => z.union([none(), words()]),
    expects: 'the name of a model such as "haiku", or "none"',
    default: null,
    nullWord: "none",
    help: "Model that the client uses while the model of the step is overloaded.",
    flag: { value: "name", help: "Model to use while the other one is overloaded" },
  },
  maxTurns: {
    key: "max_turns",
    schema: () => z.union([none(), z.int().check(z.minimum(1), z.maximum(999_999))]),
    expects: 'a whole number above 0, or "none"',
    default: null,
    nullWord: "none",
    help: "Maximum turns of the model in one call of the client; then the step fails.",
    numeric: true,
    flag: { value: "n", help: "Maximum turns of the model in one call" },
  },
  timeoutMs: {
    key: "timeout",
    ...SPAN_OR_NEVER,
    default: 600_000,
    help: "End and retry a prompt step that produces no event for this long; 0 = never.",
    variable: "RAYMOND_TIMEOUT",
    flag: { value: "duration", help: "End a prompt step that is silent for DURATION, 0 for never" },
  },
  toolTimeoutMs: {
    key: "tool_timeout",
    ...SPAN_OR_NEVER,
    default: 1_200_000,
    help: "The same while a tool call of the model is pending; 0 = never.",
    flag: { value: "duration", help: "Same while a tool runs, 0 for never" },
  },
  scriptTimeoutMs: {
    key: "script_timeout",
    ...SPAN_OR_NEVER,
    default: 0,
    help: "Time limit of a script step; 0 = no limit, because scripts may sleep for hours.",
    flag: { value: "duration", help: "End a script step after DURATION, 0 for never" },
  },
  maxParallel: {
    key: "max_parallel",
    ...atMost(10_000),
    default: 16,
    help: "Maximum number of concurrent prompt steps; scripts do not count.",
    variable: "RAYMOND_MAX_PARALLEL",
    flag: { value: "n", help: "Maximum concurrent prompt steps" },
  },
  maxAgents: {
    key: "max_agents",
    ...atMost(1_000_000),
    default: 1_000,
    help: "Maximum number of agents at a time; a fork beyond it fails.",
    flag: { value: "n", help: "Maximum number of agents" },
  },
  keepGoing: {
    key: "keep_going",
    ...ON_OFF,
    default: false,
    help: "When an agent fails, let the others finish before the run stops.",
    flag: { help: "Let other agents finish if an agent fails" },
  },
  onAsk: {
    key: "on_ask",
    schema: () => z.enum(ON_ASK),
    expects: '"stop" or "wait"',
    default: "stop",
    help: "When all agents wait for an answer from a person: stop as paused, or keep waiting.",
    flag: { value: "how", help: "If all agents wait for an answer" },
  },
  wait: {
    key: "wait",
    ...ON_OFF,
    default: true,
    help: "Wait until usage limits and outages end; false stops the run as paused.",
    flag: { help: "Wait for the end of a usage limit or an outage" },
  },
  maxOutageMs: {
    key: "max_outage",
    ...SPAN,
    default: 7_200_000,
    help: "Maximum wait for the end of an outage.",
    flag: { value: "duration", help: "Give up on an outage after DURATION" },
  },
  maxWaitMs: {
    key: "max_wait",
    ...SPAN_OR_NEVER,
    default: 0,
    help: "Stop the run at a usage limit that lasts longer than this; 0 = always wait.",
    flag: { value: "duration", help: "Stop at a usage limit longer than DURATION, 0 for never" },
  },
  maxSteps: {
    key: "max_steps",
    schema: () => z.union([none(), z.int().check(z.minimum(1), z.maximum(1e9))]),
    expects: 'a whole number above 0, or "none"',
    default: null,
    nullWord: "none",
    help: "Maximum number of steps of a run.",
    numeric: true,
    flag: { value: "n", help: "Maximum number of steps" },
  },
  permissions: {
    key: "permissions",
    schema: () => z.union([unset(), z.enum(LEVELS)]),
    expects: '"read-only", "edit", "full" or "default"',
    default: null,
    nullWord: "default",
    help: 'Highest permissions of a state: read files, also edit them, or everything. "default" is edit.',
    variable: "RAYMOND_PERMISSIONS",
    flag: { value: "level", help: "Highest permissions of a state" },
  },
  allow: {
    key: "allow",
    ...PERMISSIONS,
    help: "What states may do in addition, such as command(npm test *).",
    flag: { value: "list", help: "Actions to allow, e.g. command(npm test *)" },
  },
  deny: {
    key: "deny",
    ...PERMISSIONS,
    help: "What no state may do, such as read(.env) or command(git push *).",
    flag: { value: "list", help: "Actions to deny, e.g. read(.env)" },
  },
  tools: {
    key: "tools",
    ...TOOLS,
    mayBeEmpty: true,
    help: "Default tools of the model; [] for none.",
    flag: { value: "list", help: "Tools available to the agent" },
  },
  allowedTools: {
    key: "allowed_tools",
    ...TOOLS,
    help: "Default tools that need no permission, in addition to file edits and deletions.",
    flag: { value: "list", help: "Tools the agent may use without asking" },
  },
  disallowedTools: {
    key: "disallowed_tools",
    ...TOOLS,
    help: "Default tools that are forbidden.",
    flag: { value: "list", help: "Tools the agent must not use" },
  },
  onDenied: {
    key: "on_denied",
    schema: () => z.enum(ON_DENIED),
    expects: '"continue", "ask" or "fail"',
    default: "continue",
    help: "When the client denied a tool call: continue, ask whether to allow it, or fail the step.",
    flag: { value: "how", help: "If a tool call was denied" },
  },
  ...ENVIRONMENT_SETTINGS,
  protectWorkflow: {
    key: "protect_workflow",
    ...ON_OFF,
    default: true,
    help: "Deny the model edits to the workflow's files, the state folder and this file.",
    flag: { help: "Deny edits to the workflow, the state directory and config.toml" },
  },
  changedFiles: {
    key: "changed_files",
    schema: () => z.enum(CHANGED_FILES),
    expects: '"warn", "refuse" or "allow"',
    default: "warn",
    help: "When a state file changed during the run: warn (refuse added ones), refuse it, or allow it.",
    flag: { value: "how", help: "If a state file changed during the run" },
  },
  sandbox: {
    key: "sandbox",
    schema: sandbox,
    expects: SANDBOX_EXPECTS,
    default: null,
    nullWord: "off",
    help: "What scripts and commands of the model may change and reach; off = everything.",
    flag: { value: "limits", help: "Restrict scripts and commands: on, write:DIR, network:off" },
  },
  container: {
    key: "container",
    schema: () => z.union([none(), z.string().check(z.refine(isImage))]),
    expects: `${IMAGE_EXPECTS}, or "none"`,
    default: null,
    nullWord: "none",
    help: "Image in which docker or podman runs scripts.",
    variable: "RAYMOND_CONTAINER",
    flag: { value: "image", help: "Run scripts in this image, with docker or podman" },
  },
  clients: CLIENTS,
  skipPermissions: {
    key: "dangerously_skip_permissions",
    ...ON_OFF,
    default: false,
    help: "Let the model use every tool without permission. Only for sandboxes.",
    flag: { help: "Let the agent use every tool without asking" },
  },
  ignoreProjectSettings: {
    key: "ignore_project_settings",
    ...ON_OFF,
    default: false,
    help: "Run the client without the settings of the project: hooks, MCP servers, permissions.",
    flag: { help: "Run the agent without the project's hooks, MCP servers and permissions" },
  },
  memory: {
    key: "memory",
    ...ON_OFF,
    default: false,
    help: "Let the client keep memories between sessions, so that new sessions are not fresh.",
    flag: { help: "Keep memories between conversations" },
  },
  debug: {
    key: "debug",
    ...ON_OFF,
    default: true,
    help: "Write debug files to .raymond/debug/.",
    flag: { help: "Write debug files" },
  },
  snapshots: {
    key: "snapshots",
    schema: () => z.enum(SNAPSHOT_MODES),
    expects: '"off", "prompts" or "all"',
    default: "prompts",
    help: "In a git repository, keep the files after each prompt step, after each step, or never.",
    flag: { value: "which", help: "Keep the files of the git repository after these steps" },
  },
  notify: {
    key: "notify",
    schema: () => z.union([none(), z.string().check(z.minLength(1), z.maxLength(10_000))]),
    expects: 'a shell command, or "none"',
    default: null,
    nullWord: "none",
    help: "Command that receives JSON events on standard input: limit, budget, failure, question, end.",
    flag: { value: "command", help: "Command that receives events as JSON on standard input" },
  },
  workflowPath: {
    key: "workflow_path",
    schema: () => z.array(words()),
    expects: 'a list of folders such as ["~/workflows"]',
    list: true,
    default: [],
    help: "Additional folders with workflows that a workflow may enter.",
    flag: { value: "list", help: "Additional folders to search for other workflows" },
  },
};

/** All settings, by field name. */
export const OPTIONS = Object.fromEntries(
  Object.entries(TABLE).map(([field, option]) => [field, { ...option, field }]),
) as unknown as { readonly [Field in keyof Settings]: Option<Field> };

/** The default settings (docs/configuration.md, "Settings"). */
export const DEFAULTS = Object.fromEntries(
  Object.values(OPTIONS).map((option) => [option.field, option.default]),
) as unknown as Settings;

export type PartialSettings = {
  readonly [Field in keyof Settings]?: Settings[Field] | undefined;
};

export function optionByKey(key: string): Option | undefined {
  return allOptions().find((option) => option.key === key);
}

/** A setting by an earlier name of one of its entries. */
export function optionByAlias(key: string): Option | undefined {
  return allOptions().find((option) => option.alias?.key === key);
}

export function allOptions(): readonly Option[] {
  return Object.values(OPTIONS);
}

export function switches(): readonly Option[] {
  return allOptions().filter(({ field }) => typeof DEFAULTS[field] === "boolean");
}
