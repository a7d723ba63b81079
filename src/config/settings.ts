import * as z from "zod/mini";
import { CHANGED_FILES, ON_ASK } from "../core/machine/run-state.ts";
import { EFFORTS } from "../core/workflow/state-file.ts";
import type { Option } from "./option.ts";
import {
  atMost,
  dollars,
  none,
  ON_OFF,
  SPAN,
  SPAN_OR_NEVER,
  TOOLS,
  unset,
  words,
} from "./setting-values.ts";
import type { Settings } from "./switches.ts";

/** Every setting by the name it has in a run, in the order of the template. */
export const OPTIONS: { readonly [Field in keyof Settings]: Option<Field> } = {
  budgetMicroUsd: {
    key: "budget",
    field: "budgetMicroUsd",
    schema: () => z.union([none(), dollars()]),
    expects: 'a number of dollars above 0, or "none"',
    default: 10_000_000,
    unit: "micro-dollars",
    nothing: "none",
    help: 'What a run may spend, in US dollars; "none" for no limit.',
    variable: "RAYMOND_BUDGET",
    numeric: true,
    flag: { value: "usd", help: 'stop when the run has cost more, or "none"', standard: "10.00" },
  },
  model: {
    key: "model",
    field: "model",
    schema: () => z.union([unset(), words()]),
    expects: 'the name of a model such as "sonnet", or "default"',
    default: null,
    nothing: "default",
    help: "The model of states that name none: an alias or a full id, as the client takes it.",
    variable: "RAYMOND_MODEL",
    flag: {
      value: "name",
      help: "model for states that name none: opus, sonnet, haiku or a full id",
    },
  },
  effort: {
    key: "effort",
    field: "effort",
    schema: () => z.union([unset(), z.enum(EFFORTS)]),
    expects: `${EFFORTS.map((effort) => `"${effort}"`).join(", ")} or "default"`,
    default: null,
    nothing: "default",
    help: "How hard the model thinks in states that do not say: low, medium, high, xhigh, max.",
    variable: "RAYMOND_EFFORT",
    flag: {
      value: "level",
      help: "effort for states that name none: low, medium, high, xhigh, max",
    },
  },
  timeoutMs: {
    key: "timeout",
    field: "timeoutMs",
    ...SPAN_OR_NEVER,
    default: 600_000,
    help: "A prompt step without any sign of life for so long is ended and tried again; 0 = never.",
    variable: "RAYMOND_TIMEOUT",
    flag: {
      value: "duration",
      help: "end a prompt step without any event for so long, 0 for never",
    },
  },
  toolTimeoutMs: {
    key: "tool_timeout",
    field: "toolTimeoutMs",
    ...SPAN_OR_NEVER,
    default: 1_200_000,
    help: "The same while a tool that the model called has not answered; 0 = never.",
    flag: { value: "duration", help: "the same while a tool runs, 0 for never" },
  },
  scriptTimeoutMs: {
    key: "script_timeout",
    field: "scriptTimeoutMs",
    ...SPAN_OR_NEVER,
    default: 0,
    help: "How long a script step may take; 0 = for ever, for scripts may sleep for hours.",
    flag: { value: "duration", help: "end a script step after so long, 0 for never" },
  },
  maxParallel: {
    key: "max_parallel",
    field: "maxParallel",
    ...atMost(10_000),
    default: 16,
    help: "How many prompt steps run at once; scripts are not counted.",
    variable: "RAYMOND_MAX_PARALLEL",
    flag: { value: "n", help: "prompt steps at once; scripts are not counted" },
  },
  maxAgents: {
    key: "max_agents",
    field: "maxAgents",
    ...atMost(1_000_000),
    default: 1_000,
    help: "How many agents may live at once; a fork beyond fails.",
    flag: { value: "n", help: "agents that may live at once" },
  },
  keepGoing: {
    key: "keep_going",
    field: "keepGoing",
    ...ON_OFF,
    default: false,
    help: "When an agent fails, let the others run to their end before the run stops.",
    flag: { help: "when an agent fails, let the others run to their end" },
  },
  onAsk: {
    key: "on_ask",
    field: "onAsk",
    schema: () => z.enum(ON_ASK),
    expects: '"stop" or "wait"',
    default: "stop",
    help: "When all agents wait for the answer of a person: stop as paused, or wait for it.",
    flag: { value: "how", help: "when all wait for an answer, stop as paused, or wait" },
  },
  wait: {
    key: "wait",
    field: "wait",
    ...ON_OFF,
    default: true,
    help: "Wait for the end of usage limits and outages; false stops the run as paused.",
    flag: { help: "wait for the end of a usage limit or an outage" },
  },
  maxOutageMs: {
    key: "max_outage",
    field: "maxOutageMs",
    ...SPAN,
    default: 7_200_000,
    help: "How long an outage of the service is waited for.",
    flag: { value: "duration", help: "give up on an outage after so long; a resume begins anew" },
  },
  maxWaitMs: {
    key: "max_wait",
    field: "maxWaitMs",
    ...SPAN_OR_NEVER,
    default: 0,
    help: "Do not wait for a usage limit that lasts longer than this; 0 = wait however long.",
    flag: { value: "duration", help: "stop at a usage limit that lasts longer, 0 for never" },
  },
  maxSteps: {
    key: "max_steps",
    field: "maxSteps",
    schema: () => z.union([none(), z.int().check(z.minimum(1), z.maximum(1e9))]),
    expects: 'a whole number above 0, or "none"',
    default: null,
    nothing: "none",
    help: "Stop the run after so many steps.",
    numeric: true,
    flag: { value: "n", help: "stop the run after so many steps" },
  },
  tools: {
    key: "tools",
    field: "tools",
    ...TOOLS,
    help: "The tools that the model has, in states that do not say; [] for none.",
    flag: { value: "list", help: "the only tools that claude has" },
  },
  allowedTools: {
    key: "allowed_tools",
    field: "allowedTools",
    ...TOOLS,
    help: "Tools allowed without asking, beside file edits and deletions, in states that do not say.",
    flag: { value: "list", help: "tools that claude may use without asking" },
  },
  disallowedTools: {
    key: "disallowed_tools",
    field: "disallowedTools",
    ...TOOLS,
    help: "Tools that may not be used, in states that do not say.",
    flag: { value: "list", help: "tools that claude must not use" },
  },
  protectWorkflow: {
    key: "protect_workflow",
    field: "protectWorkflow",
    ...ON_OFF,
    default: true,
    help: "Deny the model edits to the workflow's files, the state folder and this file.",
    flag: { help: "deny claude edits to the workflow, the state folder and config.toml" },
  },
  changedFiles: {
    key: "changed_files",
    field: "changedFiles",
    schema: () => z.enum(CHANGED_FILES),
    expects: '"warn", "refuse" or "allow"',
    default: "warn",
    help: "When a state file changed during the run: warn and use it, refuse it, or allow it silently.",
    flag: { value: "how", help: "state files changed during the run: warn, refuse or allow" },
  },
  client: {
    key: "claude",
    field: "client",
    schema: () =>
      z.pipe(
        words(),
        z.transform((name) => (name === "claude" ? null : name)),
      ),
    expects: "the name or the path of the client",
    default: null,
    nothing: "claude",
    help: "The client: a name that is looked for on PATH, or a path.",
    variable: "RAYMOND_CLAUDE",
    flag: { value: "path", help: "the client to run", standard: "claude on PATH" },
  },
  skipPermissions: {
    key: "dangerously_skip_permissions",
    field: "skipPermissions",
    ...ON_OFF,
    default: false,
    help: "Let the model use every tool without asking. Only in a sandbox.",
    flag: { help: "let claude do anything without asking" },
  },
  memory: {
    key: "memory",
    field: "memory",
    ...ON_OFF,
    default: false,
    help: "Let the client keep memories between sessions; a fresh session is then less fresh.",
    flag: { help: "let claude keep memories between its conversations" },
  },
  debug: {
    key: "debug",
    field: "debug",
    ...ON_OFF,
    default: true,
    help: "Keep what was sent and received in .raymond/debug/.",
    flag: { help: "write debug files" },
  },
  notify: {
    key: "notify",
    field: "notify",
    schema: () => z.union([none(), z.string().check(z.minLength(1), z.maxLength(10_000))]),
    expects: 'a shell command, or "none"',
    default: null,
    nothing: "none",
    help: "A command that gets one JSON event on standard input: limit, budget, failure, question, end.",
    flag: {
      value: "command",
      help: "a command that gets one JSON event on standard input: limit, budget, failure, question, end",
    },
  },
  workflowPath: {
    key: "workflow_path",
    field: "workflowPath",
    schema: () => z.array(words()),
    expects: 'a list of folders such as ["~/workflows"]',
    list: true,
    default: [],
    help: "Further folders in which other workflows may lie that a workflow enters.",
    flag: {
      value: "list",
      help: "further folders in which other workflows may lie",
    },
  },
};

/** What a run is started with when nobody says anything (docs/configuration.md, "The file"). */
export const DEFAULTS = Object.fromEntries(
  Object.values(OPTIONS).map((option) => [option.field, option.default]),
) as unknown as Settings;

/** Settings of which each may be absent: what one source (flags, a file …) says. */
export type PartialSettings = {
  readonly [Field in keyof Settings]?: Settings[Field] | undefined;
};

/** The option with this key in the file; undefined when there is none. */
export function optionByKey(key: string): Option | undefined {
  return allOptions().find((option) => option.key === key);
}

/** All options, in the order of the template. */
export function allOptions(): readonly Option[] {
  return Object.values(OPTIONS);
}

/** Those that are on or off. */
export function switches(): readonly Option[] {
  return allOptions().filter(({ field }) => typeof DEFAULTS[field] === "boolean");
}
