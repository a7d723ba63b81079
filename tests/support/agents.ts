import fc from "fast-check";
import type { FaultCode } from "../../src/language/protocol/fault.ts";
import type { Transition } from "../../src/language/protocol/transition.ts";
import {
  type Activity,
  type Failed,
  READY,
  type Running,
  type StepError,
  type WaitCause,
  type Waiting,
} from "../../src/machine/model/activity.ts";
import {
  type Agent,
  type Delivery,
  FRESH,
  type Frame,
  type Session,
} from "../../src/machine/model/agent.ts";
import type { FailureClass } from "../../src/machine/model/failure.ts";
import type { ForkedWorker, WorkerEnd } from "../../src/machine/model/forked.ts";
import { NO_TOTALS, type Totals } from "../../src/machine/model/totals.ts";
import { partialSpend } from "./spend.ts";

/** An agent that has just entered its first state, with changes. */
export function agent(changes: Partial<Agent> = {}): Agent {
  const session: Session = changes.session ?? { mode: "resume", id: "s1" };
  return {
    id: "main",
    activity: READY,
    workflow: null,
    state: "START.md",
    session,
    entered: session,
    stack: [],
    cwd: null,
    attributes: {},
    pendingResult: null,
    readySince: 0,
    starts: 0,
    reminders: 0,
    fault: null,
    gate: null,
    sentBack: null,
    wanted: null,
    delivery: "prompt",
    retries: 0,
    elapsedMs: 0,
    outage: null,
    opened: null,
    setResult: null,
    worktree: undefined,
    forked: [],
    reports: false,
    sums: NO_TOTALS,
    ...changes,
  };
}

/** A caller in the workflow of the run, with changes. */
export function frame(changes: Partial<Frame> = {}): Frame {
  return { session: FRESH, returnTo: "BACK.md", workflow: null, crossed: false, ...changes };
}

/** A prompt step in flight that its client has accepted, with changes. */
export function running(changes: Partial<Running> = {}): Running {
  return {
    type: "running",
    process: 1,
    kind: "prompt",
    startedAt: "2026-11-21T12:00:00.000Z",
    accepted: true,
    conversationBytes: null,
    spend: null,
    call: null,
    backend: changes.kind === "script" ? null : "claude",
    ...changes,
  };
}

/** The pause before the next attempt, epoch ms. Default: after a first crash. */
export function waiting(
  until: number,
  cause: WaitCause = { kind: "retry", class: "crash", tries: 1 },
): Waiting {
  return { type: "waiting", since: null, until, for: cause };
}

/** The failure of a step at START.md, with changes. */
export function failed(changes: Partial<StepError> = {}): Failed {
  const error = { class: "deterministic", message: "x", hint: null, state: "START.md" } as const;
  return { type: "failed", error: { ...error, ...changes } };
}

export const anyText = fc.oneof(fc.string(), fc.string({ unit: "binary" }));
export const anySessionId = fc.oneof(fc.uuid(), fc.string());
export const anyStateName = fc.constantFrom("A.md", "REVIEW.md", "1_START.sh", "step.bat", "É.md");
export const anyCount = fc.nat({ max: 1_000_000 });
/** Epoch ms from 1970 to the year 9999. */
export const anyMoment = fc.nat({ max: 253_402_300_799_999 });
export const anyIsoTime = anyMoment.map((ms) => new Date(ms).toISOString());
/** Up to one million dollars. */
export const anyMicroUsd = fc.nat({ max: 1e12 });
export const anyAttributes = fc.dictionary(fc.string(), anyText, { maxKeys: 4 });

export const anySession: fc.Arbitrary<Session> = fc.oneof(
  fc.record({ mode: fc.constant("fresh" as const), id: fc.option(anySessionId) }),
  fc.record({ mode: fc.constant("resume" as const), id: anySessionId }),
  fc.record({
    mode: fc.constant("branch" as const),
    source: anySessionId,
    id: fc.option(anySessionId),
  }),
);

const anyWorkflow = fc.constantFrom("review", "lib/x", `a.zip@${"0".repeat(64)}`);

export const anyFrame: fc.Arbitrary<Frame> = fc.record(
  {
    session: anySession,
    returnTo: anyStateName,
    workflow: fc.option(anyWorkflow),
    crossed: fc.boolean(),
    schema: fc.constantFrom("plan.schema.json", "item.schema.json"),
  },
  { requiredKeys: ["session", "returnTo", "workflow", "crossed"] },
);

export const anyFailureClass = fc.constantFrom<FailureClass>(
  "crash",
  "outage",
  "limit",
  "deterministic",
  "cancelled",
  "lost-session",
);

const anyFaultCode = fc.constantFrom<FaultCode>(
  "schema-mismatch",
  "no-tag",
  "no-reply",
  "several-tags",
  "unclosed-tag",
  "malformed-tag",
  "unknown-state",
  "ambiguous-state",
  "wrong-platform",
  "bad-workflow",
  "not-allowed",
  "bad-cd",
  "payload-too-large",
);

/** Micro-dollars per token. */
export const anyPrice = fc.double({ min: 0, max: 1e9, noNaN: true });

/** Any totals: empty, or of some attempts. */
export const anyTotals: fc.Arbitrary<Totals> = fc.oneof(
  fc.constant(NO_TOTALS),
  fc.record({
    attempts: fc.integer({ min: 1, max: 1_000_000 }),
    costMicroUsd: anyMicroUsd,
    estimatedMicroUsd: anyMicroUsd,
    tokens: fc.record({
      input: anyCount,
      output: anyCount,
      cacheRead: anyCount,
      cacheWrite: anyCount,
    }),
    durationMs: anyCount,
  }),
);

const anySpend = fc
  .record({
    version: fc.option(anyText),
    model: fc.option(anyText),
    tokens: fc.record({
      input: anyCount,
      output: anyCount,
      cacheRead: anyCount,
      cacheWrite: anyCount,
    }),
    listPrice: fc.option(anyPrice),
  })
  .map(partialSpend);

const anyActivity: fc.Arbitrary<Activity> = fc.oneof(
  fc.constant(READY),
  fc.record({
    type: fc.constant("running" as const),
    process: anyCount,
    kind: fc.constantFrom("prompt" as const, "script" as const),
    startedAt: anyIsoTime,
    conversationBytes: fc.option(anyCount),
    accepted: fc.boolean(),
    call: fc.option(anyCount),
    spend: fc.option(anySpend),
    backend: fc.constantFrom("claude", "codex", null),
  }),
  fc.record({
    type: fc.constant("waiting" as const),
    since: fc.option(anyMoment),
    until: fc.option(anyMoment),
    for: fc.oneof(
      fc.constant({ kind: "delay" as const }),
      fc.record({
        kind: fc.constant("join" as const),
        min: fc.option(anyCount),
        late: fc.option(anyStateName),
      }),
      fc.record({
        kind: fc.constant("answer" as const),
        number: anyCount,
        question: anyText,
        options: fc.option(fc.array(anyText, { maxLength: 3 })),
        late: fc.option(fc.record({ state: anyStateName, input: fc.option(anyText) })),
        from: anyStateName,
        call: anyCount,
      }),
      fc.record({
        kind: fc.constant("retry" as const),
        class: fc.constantFrom("crash" as const, "outage" as const),
        tries: anyCount,
      }),
      fc.record({ kind: fc.constant("limit" as const), message: anyText }),
    ),
  }),
  fc.record({
    type: fc.constant("failed" as const),
    error: fc.record({
      class: anyFailureClass,
      message: anyText,
      hint: fc.option(anyText),
      state: anyStateName,
    }),
  }),
);

const anyPlace = fc.record({
  repository: anyText,
  parent: anyText,
  base: anyText,
  inside: anyText,
  origin: anyText,
  copy: fc.array(anyText, { maxLength: 2 }),
  setup: fc.option(anyStateName),
});

/** The fields of any worktree of an agent. */
export const anyWorktree = {
  folder: anyText,
  branch: anyText,
  base: anyText,
  repository: anyText,
  origin: anyText,
  checkout: fc.option(anyText, { nil: undefined }),
  copy: fc.array(anyText, { maxLength: 2 }),
};

const anyTransition: fc.Arbitrary<Transition> = fc.oneof(
  fc.record({ tag: fc.constant("goto" as const), target: anyStateName }),
  fc.record({ tag: fc.constant("result" as const), payload: anyText }),
  fc.record({
    tag: fc.constant("fork" as const),
    target: anyStateName,
    cd: anyText,
    attributes: anyAttributes,
  }),
  fc.record({
    tag: fc.constant("fork" as const),
    target: anyStateName,
    worktree: anyText,
    place: anyPlace,
    attributes: anyAttributes,
  }),
);

export const anyWorkerEnd: fc.Arbitrary<WorkerEnd> = fc.oneof(
  fc.record({ ok: fc.constant(true as const), result: anyText }),
  fc.record({
    ok: fc.constant(false as const),
    error: fc.record({ class: anyFailureClass, message: anyText, state: anyStateName }),
  }),
);

const anyForked: fc.Arbitrary<ForkedWorker> = fc.record(
  {
    agent: anyText,
    state: anyStateName,
    attributes: anyAttributes,
    end: fc.option(anyWorkerEnd),
    branch: fc.option(anyText),
  },
  { requiredKeys: ["agent", "state", "attributes", "end"] },
);

/** Any agent that the type allows, sensible or not. */
export const anyAgent: fc.Arbitrary<Agent> = fc.record({
  id: fc.constantFrom("main", "main_worker1", "main_a1_b2"),
  activity: anyActivity,
  workflow: fc.option(anyWorkflow),
  state: anyStateName,
  session: anySession,
  entered: anySession,
  stack: fc.array(anyFrame, { maxLength: 3 }),
  cwd: fc.option(anyText),
  worktree: fc.option(fc.record(anyWorktree), { nil: undefined }),
  attributes: anyAttributes,
  pendingResult: fc.option(anyText),
  readySince: anyCount,
  starts: anyCount,
  reminders: fc.nat({ max: 3 }),
  gate: fc.option(
    fc.record({
      transitions: fc.array(anyTransition, { minLength: 1, maxLength: 3 }),
      implied: fc.boolean(),
      checks: fc.array(
        fc.record({ state: anyStateName, attempts: anyCount, onFail: fc.option(anyStateName) }),
      ),
      starts: anyCount,
    }),
  ),
  wanted: fc.option(anyStateName),
  sentBack: fc.option(fc.record({ times: anyCount, problem: anyText, said: anyText })),
  fault: fc.option(fc.record({ code: anyFaultCode, message: anyText })),
  delivery: fc.constantFrom<Delivery>("prompt", "reminder", "gate", "interrupted", "capped"),
  retries: fc.nat({ max: 3 }),
  elapsedMs: anyCount,
  outage: fc.option(
    fc.record({ since: anyMoment, tries: anyCount, backend: anyText, from: anyMoment }),
  ),
  opened: fc.option(anyMoment),
  setResult: fc.option(anyText),
  forked: fc.array(anyForked, { maxLength: 3 }),
  reports: fc.boolean(),
  sums: anyTotals,
});
