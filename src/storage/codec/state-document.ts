import { LEVELS } from "../../language/permissions/permission.ts";
import { EFFORTS, ON_DENIED } from "../../language/workflow/files/state-file.ts";
import type { Agent } from "../../machine/model/agent.ts";
import { FAILURE_CLASSES } from "../../machine/model/failure.ts";
import {
  CHANGED_FILES,
  ON_ASK,
  RUN_STATUSES,
  type RunState,
  SNAPSHOT_MODES,
} from "../../machine/model/run-state.ts";
import type { Totals } from "../../machine/model/totals.ts";
import { DamagedStateError } from "../errors.ts";
import { agent, grant, WORKTREE } from "./agent-document.ts";
import { clients } from "./clients.ts";
import { dictionary } from "./dictionary.ts";
import { BlockFault, end } from "./forked-document.ts";
import type { OpenText, PayloadReference, StoreText } from "./payload.ts";
import {
  as,
  type CoreOf,
  type JsonOf,
  list,
  orNull,
  record,
  type Shape,
  unless,
  variants,
  via,
} from "./shape.ts";
import { sums, totals } from "./spend-document.ts";
import { STATE_VERSION } from "./upgrade.ts";
import {
  count,
  date,
  flag,
  literal,
  moment,
  payload,
  permission,
  price,
  seconds,
  text,
  textOrNull,
  usd,
  word,
} from "./values.ts";

const stop = {
  message: text,
  agent: textOrNull,
  state: textOrNull,
};

const stopReason = variants(
  "class",
  {
    interrupted: record({
      class: literal("interrupted"),
      ...stop,
      signal: word("SIGINT", "SIGTERM", "SIGHUP"),
    }),
  },
  record({
    class: word(...FAILURE_CLASSES, "budget", "step-limit", "question", "parked"),
    ...stop,
  }),
);

const names = orNull(list(text));
const permissions = list(permission);

/** Omitted if empty, as before there were environments. */
const NO_NAMES: readonly string[] = [];
const NO_VALUES: Readonly<Record<string, string>> = {};
const isEmpty = (value: object) => Object.keys(value).length === 0;

const settings = record({
  model: textOrNull,
  effort: orNull(word(...EFFORTS)),
  budgetMicroUsd: as("budget_usd", orNull(usd)),
  skipPermissions: as("dangerously_skip_permissions", flag),
  timeoutMs: as("timeout_s", seconds),
  toolTimeoutMs: as("tool_timeout_s", seconds),
  scriptTimeoutMs: as("script_timeout_s", seconds),
  maxParallel: as("max_parallel", count),
  maxAgents: as("max_agents", count),
  keepGoing: as("keep_going", flag),
  onAsk: as("on_ask", word(...ON_ASK)),
  wait: flag,
  maxOutageMs: as("max_outage_s", seconds),
  maxWaitMs: as("max_wait_s", seconds),
  maxSteps: as("max_steps", orNull(count)),
  permissions: unless("permissions", null, word(...LEVELS)),
  allow: unless("allow", null, permissions),
  deny: unless("deny", null, permissions),
  tools: names,
  allowedTools: as("allowed_tools", names),
  disallowedTools: as("disallowed_tools", names),
  onDenied: unless("on_denied", "continue", word(...ON_DENIED)),
  fallbackModel: unless("fallback_model", null, text),
  maxTurns: unless("max_turns", null, count),
  envPass: unless("env_pass", null, orNull(list(text))),
  envSet: unless("env_set", NO_VALUES, dictionary(text), isEmpty),
  envSecret: unless("env_secret", NO_NAMES, list(text), isEmpty),
  protectWorkflow: as("protect_workflow", flag),
  changedFiles: as("changed_files", word(...CHANGED_FILES)),
  sandbox: unless(
    "sandbox",
    null,
    record({
      write: list(text),
      network: flag,
      relative: unless("relative", undefined, list(text)),
    }),
  ),
  container: unless("container", null, text),
  clients: as("client", clients),
  /** Settings of the backend, by name. */
  switches: dictionary(flag),
  debug: flag,
  snapshots: unless("snapshots", "prompts", word(...SNAPSHOT_MODES)),
  notify: textOrNull,
  workflowPath: as("workflow_path", list(text)),
  agents: unless("agent", undefined, orNull(list(text))),
  fallbackAfterMs: unless("fallback_after_s", undefined, seconds),
  allowUnpriced: unless("allow_unpriced", undefined, flag),
});

const wait = record({
  class: word("limit", "outage"),
  until: moment,
  since: moment,
  tries: count,
  /** Number of the last process before the wait. */
  process: count,
  message: text,
});

const denialCount = record({
  ...{ state: text, tool: text, input: text, count },
  narrowed: unless("narrowed", undefined, flag),
  asked: unless("asked", undefined, text),
});

const origin = record({ run: text, step: count, after: count, costMicroUsd: as("cost_usd", usd) });

const runRow = record({
  version: literal(STATE_VERSION),
  id: as("workflow_id", text),
  status: word(...RUN_STATUSES),
  stopReason: as("stop_reason", orNull(stopReason)),
  scopeDir: as("scope_dir", text),
  launchDir: as("launch_dir", text),
  /** The state directory at the last save. */
  stateFolder: unless("state_folder", undefined, text),
  /** The git worktree that was created for the run. */
  worktree: unless(
    "worktree",
    undefined,
    record({
      ...{ folder: text, branch: text, base: text, origin: text },
      copy: unless("copy", undefined, list(text)),
    }),
  ),
  /** Worktrees of ended agents whose files are not yet committed. */
  closing: unless(
    "closing",
    undefined,
    list(record({ agent: text, ...WORKTREE, checkout: unless("checkout", undefined, text), end })),
  ),
  /** Worktrees that remain after the end of their agents. */
  kept: unless(
    "kept",
    undefined,
    list(
      record({
        agent: text,
        ...WORKTREE,
        checkout: unless("checkout", undefined, text),
        reason: text,
      }),
    ),
  ),
  /** The original run of a rerun. */
  origin: unless("origin", null, origin),
  startedAt: as("started_at", date),
  updatedAt: as("updated_at", date),
  settings,
  costMicroUsd: as("total_cost_usd", usd),
  steps: count,
  agents: list(agent),
  forkCounters: as("fork_counters", dictionary(count)),
  results: dictionary(payload),
  workflow: record({ kind: word("folder", "zip", "yaml"), path: text, entry: text }),
  backend: text,
  calls: dictionary(count),
  token: text,
  processes: count,
  totals,
  sums: record({
    ...{ states: dictionary(sums), models: dictionary(sums), backends: dictionary(sums) },
  }),
  visits: dictionary(count),
  /** Cost of each conversation when its client last exited normally. */
  baselines: dictionary(usd),
  /** Last reported context size of each conversation. */
  contexts: dictionary(record({ tokens: count, window: orNull(count) })),
  /** Price of an uncached input token, by model. */
  prices: dictionary(price),
  /** Versions of clients whose reported cost did not match their tokens. */
  misread: as("misread_clients", list(text)),
  resultsSet: unless("results_set", 0, count),
  grants: unless("grants", null, list(grant)),
  /** Denied tool calls so far. */
  denied: unless("denied", null, list(denialCount)),
  /** By coding agent. */
  waits: dictionary(wait),
  /** By conversation, the coding agent that has it. */
  owners: dictionary(text),
  /** By state, the coding agents that may answer it. */
  candidates: dictionary(list(text)),
  /** Number of the last event. */
  seq: count,
  saves: count,
});

const state: Shape<RunState, JsonOf<typeof runRow>> = via(
  runRow,
  (run: RunState): CoreOf<typeof runRow> => ({ ...run, costMicroUsd: run.totals.costMicroUsd }),
  ({ costMicroUsd, ...run }): RunState => ({ ...run, totals: { ...run.totals, costMicroUsd } }),
);

/** The schema of a state file (docs/state-file.md). Rejects unknown fields, and missing ones that are not optional. */
export const stateSchema = state.schema;

/** The JSON of a state file. */
export type StateDocument = JsonOf<typeof state>;
export type AgentDocument = StateDocument["agents"][number];
export type SumsDocument = JsonOf<typeof sums>;

/** `store` decides which texts are stored as references (default: none). {@link decodeRun} returns an equal run. */
export function encodeRun(run: RunState, store: StoreText = (inside) => inside): StateDocument {
  return state.encode(run, store);
}

/** `open` returns the text of a reference. Throws a {@link DamagedStateError} about `file` if it is no such text. */
export function decodeRun(
  json: StateDocument,
  open: OpenText = notInside,
  file = `of ${json.workflow_id}`,
): RunState {
  try {
    return state.decode(json, open);
  } catch (error) {
    if (!(error instanceof BlockFault)) throw error;
    throw new DamagedStateError(file, null, error.message, error);
  }
}

export function encodeAgent(of: Agent, store: StoreText): AgentDocument {
  return agent.encode(of, store);
}

export function encodeSums(of: Totals): SumsDocument {
  return sums.encode(of, (inside) => inside);
}

export function payloadReferences(json: StateDocument): readonly PayloadReference[] {
  const found: PayloadReference[] = [];
  state.decode(json, (reference) => {
    found.push(reference);
    return NO_LIST;
  });
  return found;
}

/** Replaces a text that was not read: some are JSON lists. */
const NO_LIST = "[]";

function notInside({ file }: PayloadReference): never {
  throw new Error(`The text in ${file} was not read`);
}
