import type { Agent } from "../core/machine/agent.ts";
import type { RunSettings, RunState, Wait } from "../core/machine/run-state.ts";
import { decodeAgent, encodeAgent } from "./agent-codec.ts";
import { type Payloads, storedText } from "./payload.ts";
import type { PayloadReference, StateDocument } from "./schema.ts";
import { STATE_VERSION } from "./state-version.ts";
import { decodeSums, encodeSums, encodeTotals } from "./sums-codec.ts";
import {
  parseMoment,
  parseSeconds,
  parseUsd,
  printMoment,
  printSeconds,
  printUsd,
} from "./units.ts";

/** A run as bytes: the state file, and the long texts that it only refers to. */
export interface PrintedRun {
  readonly text: string;
  readonly payloads: Payloads;
}

/**
 * The state file of a run as text (docs/state-file.md). `known` are the
 * payloads of an earlier save: long texts that stay are not hashed each time.
 */
export function printRun(run: RunState, known: Payloads = new Map()): PrintedRun {
  const payloads = new Map<string, PayloadReference>();
  const store = (text: string) => storedText(text, known, payloads);
  const document = encodeRun({ ...run, agents: [] }, store);
  const [before = "", after = ""] = JSON.stringify(document, null, 2).split(NO_AGENTS);
  const agents = run.agents.map((agent) => printAgent(agent, store)).join(",\n");
  const list = agents === "" ? NO_AGENTS : `\n  "agents": [\n${agents}\n  ]`;
  return { text: `${before}${list}${after}\n`, payloads };
}

/** Where the agents stand in a state file without any: a text in it has no line end, and nothing else stands so far left. */
const NO_AGENTS = '\n  "agents": []';

/** Agents as they were printed: from save to save nearly all of them stay as they are. */
const printed = new WeakMap<Agent, string>();

function printAgent(agent: Agent, store: StoreText): string {
  const known = printed.get(agent);
  if (known !== undefined) return known;
  const document = encodeAgent(agent, store);
  const text = `    ${JSON.stringify(document, null, 2).replaceAll("\n", "\n    ")}`;
  // A long text must be named anew at each save: what no save names any more is removed.
  if (typeof document.pending_result !== "object" || document.pending_result === null) {
    printed.set(agent, text);
  }
  return text;
}

/**
 * A run as the JSON of its state file, in the order in which it is written;
 * {@link decodeRun} of it equals the run. `store` says which texts are only
 * referred to; by default all are inside, however long.
 */
export function encodeRun(run: RunState, store: StoreText = (text) => text): StateDocument {
  return {
    version: STATE_VERSION,
    workflow_id: run.id,
    status: run.status,
    stop_reason: encodeStop(run.stopReason),
    scope_dir: run.scopeDir,
    launch_dir: run.launchDir,
    started_at: run.startedAt,
    updated_at: run.updatedAt,
    settings: encodeSettings(run.settings),
    total_cost_usd: printUsd(run.totals.costMicroUsd),
    steps: run.steps,
    agents: run.agents.map((agent) => encodeAgent(agent, store)),
    fork_counters: run.forkCounters,
    results: encodeResults(run.results, store),
    workflow: { kind: run.workflow.kind, path: run.workflow.path, entry: run.workflow.entry },
    backend: run.backend,
    calls: run.calls,
    token: run.token,
    processes: run.processes,
    totals: encodeTotals(run.totals),
    sums: {
      states: mapValues(run.sums.states, encodeSums),
      models: mapValues(run.sums.models, encodeSums),
    },
    visits: run.visits,
    baselines: mapValues(run.baselines, printUsd),
    prices: run.prices,
    wait: run.wait === null ? null : encodeWait(run.wait),
    seq: run.seq,
    saves: run.saves,
  };
}

/** The run that a state file describes; `open` gives the text of a long one that lies beside. */
export function decodeRun(
  json: StateDocument,
  open: (reference: PayloadReference) => string = notInside,
): RunState {
  const text = (stored: string | PayloadReference) =>
    typeof stored === "string" ? stored : open(stored);
  return {
    version: json.version,
    id: json.workflow_id,
    status: json.status,
    stopReason: json.stop_reason,
    workflow: json.workflow,
    scopeDir: json.scope_dir,
    launchDir: json.launch_dir,
    startedAt: json.started_at,
    updatedAt: json.updated_at,
    settings: decodeSettings(json.settings),
    backend: json.backend,
    calls: json.calls,
    token: json.token,
    agents: json.agents.map((agent) => decodeAgent(agent, text)),
    forkCounters: json.fork_counters,
    results: mapValues(json.results, text),
    totals: decodeSums({ ...json.totals, cost_usd: json.total_cost_usd }),
    sums: {
      states: mapValues(json.sums.states, decodeSums),
      models: mapValues(json.sums.models, decodeSums),
    },
    visits: json.visits,
    baselines: mapValues(json.baselines, parseUsd),
    prices: json.prices,
    steps: json.steps,
    processes: json.processes,
    wait: json.wait && {
      ...json.wait,
      until: parseMoment(json.wait.until),
      since: parseMoment(json.wait.since),
    },
    seq: json.seq,
    saves: json.saves,
  };
}

/** Nearly always all are inside: then there is nothing to make anew. */
function encodeResults(results: RunState["results"], store: StoreText): StateDocument["results"] {
  const entries = Object.entries(results).map(([id, text]) => [id, store(text)] as const);
  if (entries.every(([, stored]) => typeof stored === "string")) return results;
  return Object.fromEntries(entries);
}

type StoreText = (text: string) => string | PayloadReference;

function notInside({ file }: PayloadReference): never {
  throw new Error(`The text in ${file} was not read`);
}

/** The long texts that a state file refers to. */
export function payloadReferences(json: StateDocument): readonly PayloadReference[] {
  const stored = [
    ...json.agents.map((agent) => agent.pending_result),
    ...Object.values(json.results),
  ];
  return stored.filter((each) => typeof each === "object" && each !== null);
}

function encodeStop(reason: RunState["stopReason"]): StateDocument["stop_reason"] {
  if (reason === null) return null;
  const { message, agent, state } = reason;
  if (reason.class !== "interrupted") return { class: reason.class, message, agent, state };
  return { class: reason.class, message, agent, state, signal: reason.signal };
}

function encodeSettings(settings: RunSettings): StateDocument["settings"] {
  const budget = settings.budgetMicroUsd;
  return {
    model: settings.model,
    effort: settings.effort,
    budget_usd: budget === null ? null : printUsd(budget),
    dangerously_skip_permissions: settings.skipPermissions,
    timeout_s: printSeconds(settings.timeoutMs),
    tool_timeout_s: printSeconds(settings.toolTimeoutMs),
    script_timeout_s: printSeconds(settings.scriptTimeoutMs),
    max_parallel: settings.maxParallel,
    max_agents: settings.maxAgents,
    keep_going: settings.keepGoing,
    wait: settings.wait,
    max_outage_s: printSeconds(settings.maxOutageMs),
    max_wait_s: printSeconds(settings.maxWaitMs),
    max_steps: settings.maxSteps,
    tools: copy(settings.tools),
    allowed_tools: copy(settings.allowedTools),
    disallowed_tools: copy(settings.disallowedTools),
    client: settings.client,
    switches: settings.switches,
    debug: settings.debug,
    notify: settings.notify,
  };
}

function decodeSettings(json: StateDocument["settings"]): RunSettings {
  return {
    model: json.model,
    effort: json.effort,
    budgetMicroUsd: json.budget_usd === null ? null : parseUsd(json.budget_usd),
    skipPermissions: json.dangerously_skip_permissions,
    timeoutMs: parseSeconds(json.timeout_s),
    toolTimeoutMs: parseSeconds(json.tool_timeout_s),
    scriptTimeoutMs: parseSeconds(json.script_timeout_s),
    maxParallel: json.max_parallel,
    maxAgents: json.max_agents,
    keepGoing: json.keep_going,
    wait: json.wait,
    maxOutageMs: parseSeconds(json.max_outage_s),
    maxWaitMs: parseSeconds(json.max_wait_s),
    maxSteps: json.max_steps,
    tools: json.tools,
    allowedTools: json.allowed_tools,
    disallowedTools: json.disallowed_tools,
    client: json.client,
    switches: json.switches,
    debug: json.debug,
    notify: json.notify,
  };
}

function encodeWait(wait: Wait): NonNullable<StateDocument["wait"]> {
  return {
    class: wait.class,
    until: printMoment(wait.until),
    since: printMoment(wait.since),
    tries: wait.tries,
    process: wait.process,
    message: wait.message,
  };
}

function copy(names: readonly string[] | null): string[] | null {
  return names === null ? null : [...names];
}

/** Keeps a key `__proto__`, which an attribute may have. */
function mapValues<T, U>(
  record: Readonly<Record<string, T>>,
  change: (value: T) => U,
): Record<string, U> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
}
