import fc from "fast-check";
import { NONE_DECLARED } from "../../src/language/permissions/declared.ts";
import type { StateFile } from "../../src/language/workflow/files/state-file.ts";
import { NO_ENVIRONMENT } from "../../src/language/workflow/policy/declared-environment.ts";
import type { Step } from "../../src/machine/decide/step.ts";
import type { Event, EventType } from "../../src/machine/model/event.ts";
import { agent } from "../support/agents.ts";
import { backendFacts } from "../support/backend-facts.ts";
import { settings } from "../support/runs.ts";

type Samples = { readonly [T in EventType]: Extract<Event, { type: T }> };

const where = { agent: "main", state: "PLAN.md" } as const;

/** One event of every type: a new type does not compile until it has one here. */
export const samples: Samples = {
  "run.started": {
    type: "run.started",
    run: "wf-1",
    workflow: "/repo/workflows/coding",
    state: "PLAN.md",
    backend: "simulation",
  },
  "run.resumed": { type: "run.resumed", run: "wf-1", agents: 2, backend: "claude" },
  "run.stopping": {
    type: "run.stopping",
    reason: {
      class: "interrupted",
      message: "Ctrl-C",
      agent: null,
      state: null,
      signal: "SIGINT",
    },
    inFlight: ["main", "main_work1"],
  },
  "run.ended": {
    type: "run.ended",
    run: "wf-1",
    status: "budget_exceeded",
    reason: {
      class: "budget",
      message: "The budget of $10.00 is used up.",
      agent: "main",
      state: "PLAN.md",
    },
    costMicroUsd: 10_300_000,
    estimatedMicroUsd: 250_000,
    steps: 7,
    results: { main_work1: "done" },
    denied: [{ state: "PLAN.md", tool: "Bash", input: "npm test", count: 2 }],
  },
  "run.waiting": {
    type: "run.waiting",
    class: "limit",
    until: Date.UTC(2026, 10, 21, 15),
    leftMs: 16_200_000,
    message: "You've hit your session limit.",
  },
  "run.still-waiting": {
    type: "run.still-waiting",
    class: "limit",
    until: Date.UTC(2026, 10, 21, 15),
    leftMs: 3_600_000,
  },
  "run.woke": { type: "run.woke", class: "limit" },
  "run.warning": { type: "run.warning", message: "This client is not known.", hint: "Update it." },
  "step.started": {
    type: "step.started",
    ...where,
    kind: "prompt",
    process: 3,
    attempt: 2,
    session: "branch",
    sessionId: "5e55",
    cwd: "/repo",
    delivery: "prompt",
  },
  "step.message": { type: "step.message", ...where, text: "I will read the code first." },
  "step.tool": { type: "step.tool", ...where, tool: "Bash", argument: "npm test" },
  "step.notice": { type: "step.notice", ...where, text: "The client tries again (529)." },
  "step.ended": {
    type: "step.ended",
    ...where,
    kind: "prompt",
    process: 3,
    ok: true,
    failure: null,
    durationMs: 65_000,
    costMicroUsd: 42_000,
    estimatedMicroUsd: 0,
    totalMicroUsd: 420_000,
    tokens: { input: 1, output: 2, cacheRead: 3, cacheWrite: 4 },
    model: "claude-sonnet-4-5",
    version: "2.1.330",
    denials: [{ tool: "Bash", input: "git push" }],
    context: { tokens: 46_000, window: 200_000 },
  },
  "agent.moved": {
    type: "agent.moved",
    agent: "main",
    from: "PLAN.md",
    transition: { tag: "reset", target: "BUILD.md", cd: "/repo/app" },
    implied: true,
    to: "BUILD.md",
    dropped: 1,
  },
  "agent.reminded": {
    type: "agent.reminded",
    ...where,
    reminder: 1,
    problem: "No transition tag found.",
  },
  "agent.sent-back": {
    type: "agent.sent-back",
    ...where,
    gate: "TESTS.sh",
    times: 2,
    problem: "The gate TESTS.sh failed with exit code 1.",
  },
  "agent.retrying": {
    type: "agent.retrying",
    ...where,
    class: "outage",
    problem: "The service is overloaded (529).",
    retry: 2,
    delayMs: 4_000,
  },
  "agent.continued": { type: "agent.continued", ...where, problem: "raymond was stopped." },
  "agent.diverted": {
    type: "agent.diverted",
    agent: "main",
    from: "BUILD.sh",
    to: "FIX.md",
    by: "on_error",
    problem: "The script BUILD.sh ended with exit code 2 after 1s.",
  },
  "budget.near": { type: "budget.near", spentMicroUsd: 8_100_000, budgetMicroUsd: 10_000_000 },
  "agent.forked": {
    type: "agent.forked",
    agent: "main",
    worker: "main_work1",
    state: "WORK.md",
    attributes: { item: "7" },
    branch: "raymond/fix-7",
  },
  "agent.ended": { type: "agent.ended", ...where, result: "All tests pass." },
  "agent.failed": {
    type: "agent.failed",
    agent: "main",
    state: "TEST.sh",
    class: "deterministic",
    problem: "TEST.sh ended with exit code 2 after 1s.\nnpm: not found",
    hint: "Install npm.",
  },
  "step.output": { type: "step.output", ...where, stream: "stderr", text: "npm warn\nnpm error" },
  "agent.waiting": {
    type: "agent.waiting",
    ...where,
    wait: { kind: "limit", until: Date.UTC(2026, 10, 21, 15), message: "Session limit reached." },
  },
  "run.taken-over": {
    type: "run.taken-over",
    run: "wf-1",
    host: "build-7",
    pid: 12,
    startedAt: "2026-11-21T08:00:00.000Z",
    lastSeenAt: "2026-11-21T09:00:00.000Z",
  },
  "agent.joined": {
    type: "agent.joined",
    ...where,
    ended: 9,
    living: 1,
    late: true,
  },
  "agent.asked": {
    type: "agent.asked",
    ...where,
    number: 7,
    question: "Ship it?",
    options: ["yes", "no"],
    until: Date.UTC(2026, 10, 22, 15),
  },
  "agent.answered": {
    type: "agent.answered",
    ...where,
    number: 7,
    answer: "yes",
    by: { user: "ann", host: "box", via: "command" },
    at: Date.UTC(2026, 10, 21, 16),
  },
  "agent.unanswered": { type: "agent.unanswered", ...where, number: 7 },
  "run.rerun": {
    type: "run.rerun",
    run: "wf-2",
    of: "wf-1",
    step: 5,
    costMicroUsd: 420_000,
    agents: 1,
  },
  "agent.opened": { type: "agent.opened", ...where },
  "agent.handed-back": {
    ...{ type: "agent.handed-back", ...where, session: "s1" },
    ...{ costMicroUsd: 4_500, estimatedMicroUsd: 0, totalMicroUsd: 9_000 },
    tokens: { input: 1_000, output: 100, cacheRead: 0, cacheWrite: 0 },
  },
  "agent.result-set": {
    ...{ type: "agent.result-set", ...where, result: "fixed by hand", reason: "API was down" },
    actor: { user: "root", host: "box", via: "command", sudoUser: "ann" },
  },
  "run.controlled": {
    ...{ type: "run.controlled", run: "wf-1", action: "stop", target: null },
    actor: { user: "ann", host: "box", via: "dashboard" },
  },
};

export const everyEvent: readonly Event[] = Object.values(samples);

/** An event of any type whose every text is arbitrary, control characters among them. */
export const anyEvent: fc.Arbitrary<Event> = fc
  .tuple(
    fc.constantFrom(...everyEvent),
    fc.array(
      fc.string({ unit: fc.oneof(hostile(), fc.string({ unit: "binary", minLength: 1 })) }),
      {
        minLength: 5,
        maxLength: 5,
      },
    ),
  )
  .map(([event, texts]) => withTexts(event, texts));

function hostile(): fc.Arbitrary<string> {
  return fc.constantFrom("\u001b", "\u009b", "\r", "\n", "\0", "\u202e", "\u007f", "[2J");
}

/** The event with its free texts replaced; the words of the code (types, tags, classes) stay. */
function withTexts(event: Event, texts: readonly string[]): Event {
  let next = 0;
  const free = new Set([
    ...["run", "workflow", "state", "message", "hint", "text", "tool", "argument", "input"],
    ...["problem", "worker", "agent", "result", "model", "version", "target", "cd", "to"],
  ]);
  const replaced = (value: unknown, key: string): unknown => {
    if (typeof value === "string") {
      if (!free.has(key)) return value;
      next += 1;
      return texts[next % texts.length];
    }
    if (Array.isArray(value)) return value.map((part) => replaced(part, key));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, part]) => [name, replaced(part, name)]),
    );
  };
  return replaced(event, "") as Event;
}

const PROMPT: StateFile = {
  kind: "prompt",
  name: "PLAN.md",
  rules: null,
  agents: null,
  model: null,
  effort: null,
  fallbackModel: null,
  maxTurns: null,
  onDenied: null,
  timeoutMs: null,
  budgetMicroUsd: null,
  maxVisits: null,
  env: NO_ENVIRONMENT,
  sandbox: null,
  context: null,
  permissions: NONE_DECLARED,
  tools: null,
  allowedTools: null,
  disallowedTools: null,
  requiredServers: [],
  body: "Make a plan.",
  bodyLine: 1,
  bodyColumn: 1,
  warnings: [],
};

/** A step of a prompt state, but for what the test is about. */
export function step(changes: Partial<Step> = {}): Step {
  return {
    run: "wf-1",
    agent: agent(),
    file: PROMPT,
    path: "/repo/workflows/coding/PLAN.md",
    source: "/repo/workflows/coding/PLAN.md",
    scopeDir: "/repo/workflows/coding",
    names: ["PLAN.md"],
    platform: "unix",
    settings: settings(),
    environment: { kind: "prompt", pass: null, set: {}, secret: [] },
    backend: backendFacts(),
    cwd: "/repo",
    launchDir: "/repo",
    process: 3,
    attempt: 1,
    token: "secret-token",
    session: { mode: "fresh", id: "s1" },
    capMicroUsd: null,
    deadline: null,
    withheld: [],
    gated: null,
    permissions: null,
    deniedPaths: [],
    ...changes,
  };
}

export const script: StateFile = {
  kind: "script",
  name: "TEST.sh",
  ...{ body: "", bodyLine: 1, bodyColumn: 1 },
  timeoutMs: null,
  retries: 0,
  backoffMs: 10_000,
  onError: null,
  maxVisits: null,
  env: NO_ENVIRONMENT,
  sandbox: null,
  container: null,
  warnings: [],
};
