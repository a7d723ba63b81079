import * as z from "zod/mini";
import type { Agent } from "../core/machine/agent.ts";
import { FAILURE_CLASSES } from "../core/machine/failure.ts";
import { CHANGED_FILES, ON_ASK, RUN_STATUSES, type RunState } from "../core/machine/run-state.ts";
import type { Sums } from "../core/machine/sums.ts";
import { EFFORTS } from "../core/workflow/state-file.ts";
import { agent } from "./agent-document.ts";
import { dictionary } from "./dictionary.ts";
import {
  as,
  type CoreOf,
  type JsonOf,
  list,
  orNull,
  record,
  type Shape,
  same,
  unless,
  variants,
  via,
} from "./shape.ts";
import { sums, totals } from "./spend-document.ts";
import { STATE_VERSION } from "./state-version.ts";
import type { OpenText, PayloadReference, StoreText } from "./stored-text.ts";
import {
  count,
  date,
  flag,
  moment,
  payload,
  price,
  seconds,
  text,
  textOrNull,
  usd,
  word,
} from "./values.ts";

const stop = {
  message: as("message", text),
  agent: as("agent", textOrNull),
  state: as("state", textOrNull),
};

const stopReason = variants(
  "class",
  {
    interrupted: record({
      class: as(
        "class",
        same(() => z.literal("interrupted")),
      ),
      ...stop,
      signal: as(
        "signal",
        word(() => ["SIGINT", "SIGTERM", "SIGHUP"]),
      ),
    }),
  },
  record({
    class: as(
      "class",
      word(() => [...FAILURE_CLASSES, "budget", "step-limit", "question", "parked"]),
    ),
    ...stop,
  }),
);

const names = orNull(list(text));

const settings = record({
  model: as("model", textOrNull),
  effort: as("effort", orNull(word(() => [...EFFORTS]))),
  budgetMicroUsd: as("budget_usd", orNull(usd)),
  skipPermissions: as("dangerously_skip_permissions", flag),
  timeoutMs: as("timeout_s", seconds),
  toolTimeoutMs: as("tool_timeout_s", seconds),
  scriptTimeoutMs: as("script_timeout_s", seconds),
  maxParallel: as("max_parallel", count),
  maxAgents: as("max_agents", count),
  keepGoing: as("keep_going", flag),
  onAsk: as(
    "on_ask",
    word(() => [...ON_ASK]),
  ),
  wait: as("wait", flag),
  maxOutageMs: as("max_outage_s", seconds),
  maxWaitMs: as("max_wait_s", seconds),
  maxSteps: as("max_steps", orNull(count)),
  tools: as("tools", names),
  allowedTools: as("allowed_tools", names),
  disallowedTools: as("disallowed_tools", names),
  protectWorkflow: unless("protect_workflow", true, flag),
  changedFiles: unless(
    "changed_files",
    "warn",
    word(() => [...CHANGED_FILES]),
  ),
  client: as("client", textOrNull),
  /** What only the backend understands, by name. */
  switches: as("switches", dictionary(flag)),
  debug: as("debug", flag),
  notify: as("notify", textOrNull),
  workflowPath: as("workflow_path", list(text)),
});

const wait = record({
  class: as(
    "class",
    word(() => ["limit", "outage"]),
  ),
  until: as("until", moment),
  since: as("since", moment),
  tries: as("tries", count),
  /** Number of the last process when the wait began. */
  process: as("process", count),
  message: as("message", text),
});

const origin = record({
  run: as("run", text),
  step: as("step", count),
  after: as("after", count),
  costMicroUsd: as("cost_usd", usd),
});

const runRow = record({
  version: as(
    "version",
    same(() => z.literal(STATE_VERSION)),
  ),
  id: as("workflow_id", text),
  status: as(
    "status",
    word(() => [...RUN_STATUSES]),
  ),
  stopReason: as("stop_reason", orNull(stopReason)),
  scopeDir: as("scope_dir", text),
  launchDir: as("launch_dir", text),
  /** Where a run comes from that a rerun has begun. */
  origin: unless("origin", null, origin),
  startedAt: as("started_at", date),
  updatedAt: as("updated_at", date),
  settings: as("settings", settings),
  costMicroUsd: as("total_cost_usd", usd),
  steps: as("steps", count),
  agents: as("agents", list(agent)),
  forkCounters: as("fork_counters", dictionary(count)),
  results: as("results", dictionary(payload)),
  workflow: as(
    "workflow",
    record({
      kind: as(
        "kind",
        word(() => ["folder", "zip", "yaml"]),
      ),
      path: as("path", text),
      entry: as("entry", text),
    }),
  ),
  backend: as("backend", text),
  calls: as("calls", dictionary(count)),
  token: as("token", text),
  processes: as("processes", count),
  totals: as("totals", totals),
  sums: as(
    "sums",
    record({
      states: as("states", dictionary(sums)),
      models: as("models", dictionary(sums)),
    }),
  ),
  visits: as("visits", dictionary(count)),
  /** What each conversation had cost when its client last ended by itself. */
  baselines: as("baselines", dictionary(usd)),
  /** What each conversation held when it was last heard of. */
  contexts: unless(
    "contexts",
    {},
    dictionary(record({ tokens: as("tokens", count), window: as("window", orNull(count)) })),
    (contexts) => Object.keys(contexts).length === 0,
  ),
  /** Of one uncached input token of each model. */
  prices: as("prices", dictionary(price)),
  /** Versions of clients whose costs did not fit their tokens. */
  misread: unless("misread_clients", [], list(text), (versions) => versions.length === 0),
  wait: as("wait", orNull(wait)),
  /** Number of the last event that was told. */
  seq: as("seq", count),
  saves: as("saves", count),
});

const state: Shape<RunState, JsonOf<typeof runRow>> = via(
  runRow,
  (run: RunState): CoreOf<typeof runRow> => ({ ...run, costMicroUsd: run.totals.costMicroUsd }),
  ({ costMicroUsd, ...run }): RunState => ({ ...run, totals: { ...run.totals, costMicroUsd } }),
);

/**
 * What a state file may say (docs/state-file.md), in the order in which it is
 * written: an unknown field is an error, and so is a missing one that is not
 * left out where it is as usual.
 */
export const stateSchema = state.schema;

/** The JSON of a state file. */
export type StateDocument = JsonOf<typeof state>;
export type AgentDocument = StateDocument["agents"][number];
export type SumsDocument = JsonOf<typeof sums>;

/**
 * A run as the JSON of its state file; {@link decodeRun} of it equals the run.
 * `store` says which texts are only referred to; by default all are inside,
 * however long.
 */
export function encodeRun(run: RunState, store: StoreText = (inside) => inside): StateDocument {
  return state.encode(run, store);
}

/** The run that a state file describes; `open` gives the text of a long one that lies beside. */
export function decodeRun(json: StateDocument, open: OpenText = notInside): RunState {
  return state.decode(json, open);
}

/** One agent of it. */
export function encodeAgent(of: Agent, store: StoreText): AgentDocument {
  return agent.encode(of, store);
}

/** Sums as they stand in it. */
export function encodeSums(of: Sums): SumsDocument {
  return sums.encode(of, (inside) => inside);
}

/** The long texts that a state file refers to. */
export function payloadReferences(json: StateDocument): readonly PayloadReference[] {
  const found: PayloadReference[] = [];
  state.decode(json, (reference) => {
    found.push(reference);
    return NO_LIST;
  });
  return found;
}

/** Stands for a text that was not read: some are lists as JSON. */
const NO_LIST = "[]";

function notInside({ file }: PayloadReference): never {
  throw new Error(`The text in ${file} was not read`);
}
