import fc from "fast-check";
import { DEFAULTS } from "../../src/config/settings.ts";
import { runSettings } from "../../src/config/switches.ts";
import { LEVELS } from "../../src/language/permissions/permission.ts";
import { EFFORTS, ON_DENIED } from "../../src/language/workflow/files/state-file.ts";
import {
  CHANGED_FILES,
  ON_ASK,
  RUN_STATUSES,
  type RunSettings,
  type RunState,
  SNAPSHOT_MODES,
  type StopReason,
} from "../../src/machine/model/run-state.ts";
import { NO_TOTALS, type Totals } from "../../src/machine/model/totals.ts";
import {
  agent,
  anyAgent,
  anyCount,
  anyFailureClass,
  anyIsoTime,
  anyMicroUsd,
  anyMoment,
  anyPrice,
  anySessionId,
  anyStateName,
  anyText,
  anyTotals,
  anyWorkerEnd,
  anyWorktree,
} from "./agents.ts";

/** The default settings of a run. */
export function settings(changes: Partial<RunSettings> = {}): RunSettings {
  return { ...runSettings(DEFAULTS), ...changes };
}

/** Empty totals, with changes. */
export function totals(changes: Partial<Totals> = {}): Totals {
  return { ...NO_TOTALS, ...changes };
}

/** A run with one agent that is ready for its first step, with changes. */
export function run(changes: Partial<RunState> = {}): RunState {
  return {
    version: 1,
    id: "wf-2026-11-21-k3x9qd",
    status: "running",
    stopReason: null,
    workflow: { kind: "folder", path: "/repo/workflows/coding", entry: "START.md" },
    scopeDir: "/repo/workflows/coding",
    launchDir: "/repo",
    origin: null,
    startedAt: "2026-11-21T10:30:00.000Z",
    updatedAt: "2026-11-21T10:31:12.004Z",
    settings: settings(),
    backend: "claude",
    calls: {},
    token: "t0",
    agents: [agent()],
    forkCounters: {},
    results: {},
    totals: totals(),
    sums: { states: {}, models: {}, backends: {} },
    visits: {},
    baselines: {},
    contexts: {},
    prices: {},
    misread: [],
    grants: null,
    denied: null,
    resultsSet: 0,
    steps: 0,
    processes: 0,
    ...{ waits: {}, owners: {}, candidates: {} },
    seq: 0,
    saves: 0,
    ...changes,
  };
}

const anyNames = fc.option(fc.array(anyText, { maxLength: 3 }));

export const anyPermissions = fc.option(
  fc.array(
    fc.constantFrom("command(npm test *)", "read(.env)", "write(docs/**)", "tool(WebSearch)"),
    { maxLength: 3 },
  ),
);

/** Any settings that the type allows; durations are whole milliseconds. */
export const anySettings: fc.Arbitrary<RunSettings> = fc.record({
  model: fc.option(anyText),
  effort: fc.option(fc.constantFrom(...EFFORTS)),
  budgetMicroUsd: fc.option(anyMicroUsd),
  skipPermissions: fc.boolean(),
  timeoutMs: anyCount,
  toolTimeoutMs: anyCount,
  scriptTimeoutMs: anyCount,
  maxParallel: anyCount,
  maxAgents: anyCount,
  keepGoing: fc.boolean(),
  onAsk: fc.constantFrom(...ON_ASK),
  protectWorkflow: fc.boolean(),
  onDenied: fc.constantFrom(...ON_DENIED),
  fallbackModel: fc.option(anyText),
  maxTurns: fc.option(anyCount),
  changedFiles: fc.constantFrom(...CHANGED_FILES),
  sandbox: fc.option(
    fc.record({ write: fc.array(anyText, { maxLength: 2 }), network: fc.boolean() }),
  ),
  container: fc.option(anyText),
  wait: fc.boolean(),
  maxOutageMs: anyCount,
  maxWaitMs: anyCount,
  maxSteps: fc.option(anyCount),
  permissions: fc.option(fc.constantFrom(...LEVELS)),
  allow: anyPermissions,
  deny: anyPermissions,
  tools: anyNames,
  allowedTools: anyNames,
  disallowedTools: anyNames,
  envPass: anyNames,
  envSet: fc.dictionary(anyText, anyText, { maxKeys: 2 }),
  envSecret: fc.array(anyText, { maxLength: 2 }),
  clients: fc.dictionary(fc.constantFrom("claude", "codex"), anyText),
  switches: fc.record({ memory: fc.boolean() }),
  debug: fc.boolean(),
  snapshots: fc.constantFrom(...SNAPSHOT_MODES),
  notify: fc.option(anyText),
  workflowPath: fc.array(anyText, { maxLength: 2 }),
  agents: fc.constantFrom(undefined, null, ["codex"], ["claude", "codex"]),
  fallbackAfterMs: fc.constantFrom(undefined, 0, 60_000),
  allowUnpriced: fc.constantFrom(undefined, true),
});

const anyCause = {
  message: anyText,
  agent: fc.option(anyText),
  state: fc.option(anyStateName),
};

const anyStopReason: fc.Arbitrary<StopReason> = fc.oneof(
  fc.record({
    class: fc.oneof(anyFailureClass, fc.constantFrom("budget", "step-limit", "question")),
    ...anyCause,
  }),
  fc.record({
    class: fc.constant("interrupted" as const),
    ...anyCause,
    signal: fc.constantFrom("SIGINT" as const, "SIGTERM" as const, "SIGHUP" as const),
  }),
);

/** Any run that the type allows, sensible or not. */
export const anyRun: fc.Arbitrary<RunState> = fc.record({
  version: fc.constant(1 as const),
  id: fc.stringMatching(/^wf-2026-11-2[0-9]-[0-9a-z]{6}$/),
  status: fc.constantFrom(...RUN_STATUSES),
  stopReason: fc.option(anyStopReason),
  workflow: fc.record({
    kind: fc.constantFrom("folder" as const, "zip" as const, "yaml" as const),
    path: anyText,
    entry: anyStateName,
  }),
  scopeDir: anyText,
  launchDir: anyText,
  origin: fc.option(
    fc.record({ run: anyText, step: anyCount, after: anyCount, costMicroUsd: anyMicroUsd }),
  ),
  startedAt: anyIsoTime,
  updatedAt: anyIsoTime,
  settings: anySettings,
  backend: fc.constantFrom("claude" as const, "simulation" as const),
  calls: fc.dictionary(anyStateName, anyCount, { maxKeys: 3 }),
  token: anyText,
  agents: fc.array(anyAgent, { maxLength: 3 }),
  forkCounters: fc.dictionary(anyText, anyCount, { maxKeys: 3 }),
  results: fc.dictionary(anyText, anyText, { maxKeys: 3 }),
  totals: anyTotals,
  sums: fc.record({
    states: fc.dictionary(anyStateName, anyTotals, { maxKeys: 3 }),
    models: fc.dictionary(anyText, anyTotals, { maxKeys: 3 }),
    backends: fc.dictionary(fc.constantFrom("claude", "codex"), anyTotals),
  }),
  visits: fc.dictionary(anyStateName, anyCount, { maxKeys: 3 }),
  baselines: fc.dictionary(anySessionId, anyMicroUsd, { maxKeys: 3 }),
  contexts: fc.dictionary(
    anySessionId,
    fc.record({ tokens: anyCount, window: fc.option(anyCount) }),
    { maxKeys: 3 },
  ),
  prices: fc.dictionary(anyText, anyPrice, { maxKeys: 3 }),
  closing: fc.option(
    fc.array(fc.record({ agent: anyText, ...anyWorktree, end: anyWorkerEnd }), { maxLength: 2 }),
    { nil: undefined },
  ),
  kept: fc.option(
    fc.array(fc.record({ agent: anyText, ...anyWorktree, reason: anyText }), { maxLength: 2 }),
    { nil: undefined },
  ),
  misread: fc.array(anyText, { maxLength: 2 }),
  resultsSet: anyCount,
  grants: fc.option(fc.array(fc.record({ tool: anyText, argument: anyText }), { minLength: 1 })),
  denied: fc.option(
    fc.array(fc.record({ state: anyText, tool: anyText, input: anyText, count: anyCount }), {
      minLength: 1,
    }),
  ),
  steps: anyCount,
  processes: anyCount,
  waits: fc.dictionary(
    fc.constantFrom("claude", "codex"),
    fc.record({
      class: fc.constantFrom("limit" as const, "outage" as const),
      until: anyMoment,
      since: anyMoment,
      tries: anyCount,
      process: anyCount,
      message: anyText,
    }),
  ),
  owners: fc.dictionary(anySessionId, fc.constantFrom("claude", "codex"), { maxKeys: 3 }),
  candidates: fc.constantFrom({}, { "A.md": ["claude", "codex"] }),
  seq: anyCount,
  saves: anyCount,
});
