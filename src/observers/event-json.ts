import type { Event, EventType } from "../core/machine/event.ts";
import type { StopReason } from "../core/machine/run-state.ts";
import { signalOf } from "../core/machine/run-state.ts";
import type { Tokens } from "../core/machine/spend.ts";
import { toUsd } from "../core/money.ts";
import { dataOf, partsOf, valueIn } from "../core/protocol/parts.ts";
import type { Transition } from "../core/protocol/transition.ts";
import { isSimulated } from "../ports/backend.ts";

/** An event as it is written: snake_case keys, dollars as numbers, times in ms or ISO 8601. */
export type EventJson = Readonly<Record<string, unknown>> & { readonly type: EventType };

/**
 * The one encoding of events, of `--json` and of `events.jsonl`
 * (docs/events.md). Frozen by a golden test: others read it.
 */
export function encodeEvent(event: Event): EventJson {
  const encode = encoders[event.type] as (event: Event) => Readonly<Record<string, unknown>>;
  return { type: event.type, ...encode(event) };
}

/** One line of an event stream, without its line end; `at` is epoch ms. */
export function eventLine(event: EventJson, seq: number, at: number): string {
  const { type, ...rest } = event;
  return JSON.stringify({ type, seq, at: iso(at), ...rest });
}

type Encoders = {
  readonly [T in EventType]: (
    event: Extract<Event, { type: T }>,
  ) => Readonly<Record<string, unknown>>;
};

const encoders: Encoders = {
  "run.started": (e) => ({
    run: e.run,
    workflow: e.workflow,
    state: e.state,
    simulated: isSimulated(e.backend),
  }),
  "run.resumed": (e) => ({ run: e.run, agents: e.agents, simulated: isSimulated(e.backend) }),
  "run.taken-over": (e) => ({
    run: e.run,
    host: e.host,
    pid: e.pid,
    started_at: e.startedAt,
    heard_at: e.heardAt,
  }),
  "run.stopping": (e) => ({ reason: reason(e.reason), in_flight: e.inFlight }),
  "run.ended": (e) => ({
    run: e.run,
    status: e.status,
    reason: e.reason === null ? null : reason(e.reason),
    cost_usd: toUsd(e.costMicroUsd),
    estimated_usd: toUsd(e.estimatedMicroUsd),
    steps: e.steps,
    results: e.results,
  }),
  "run.waiting": (e) => ({
    class: e.class,
    until: iso(e.until),
    left_ms: e.leftMs,
    message: e.message,
  }),
  "run.still-waiting": (e) => ({ class: e.class, until: iso(e.until), left_ms: e.leftMs }),
  "run.woke": (e) => ({ class: e.class }),
  "run.warning": (e) => ({ message: e.message, hint: e.hint }),
  "step.started": (e) => ({
    agent: e.agent,
    state: e.state,
    kind: e.kind,
    process: e.process,
    attempt: e.attempt,
    session: e.session,
    session_id: e.sessionId,
    cwd: e.cwd,
    delivery: e.delivery,
  }),
  "step.message": (e) => ({ agent: e.agent, state: e.state, text: e.text }),
  "step.output": (e) => ({ agent: e.agent, state: e.state, stream: e.stream, text: e.text }),
  "step.tool": (e) => ({ agent: e.agent, state: e.state, tool: e.tool, argument: e.argument }),
  "step.notice": (e) => ({ agent: e.agent, state: e.state, text: e.text }),
  "step.ended": (e) => ({
    agent: e.agent,
    state: e.state,
    kind: e.kind,
    process: e.process,
    ok: e.ok,
    failure: e.failure,
    duration_ms: e.durationMs,
    cost_usd: toUsd(e.costMicroUsd),
    estimated_usd: toUsd(e.estimatedMicroUsd),
    total_usd: toUsd(e.totalMicroUsd),
    tokens: tokens(e.tokens),
    model: e.model,
    client_version: e.version,
    denials: e.denials.map(({ tool, input }) => ({ tool, input })),
  }),
  "agent.moved": (e) => ({
    agent: e.agent,
    from: e.from,
    to: e.to,
    transition: transition(e.transition),
    implied: e.implied,
    dropped: e.dropped,
  }),
  "agent.reminded": (e) => ({
    agent: e.agent,
    state: e.state,
    reminder: e.reminder,
    problem: e.problem,
  }),
  "agent.retrying": (e) => ({
    agent: e.agent,
    state: e.state,
    class: e.class,
    problem: e.problem,
    retry: e.retry,
    delay_ms: e.delayMs,
  }),
  "agent.waiting": (e) => ({
    agent: e.agent,
    state: e.state,
    for: e.wait.kind,
    until: "until" in e.wait ? iso(e.wait.until) : null,
  }),
  "agent.continued": (e) => ({ agent: e.agent, state: e.state, problem: e.problem }),
  "agent.diverted": (e) => ({ agent: e.agent, from: e.from, to: e.to, problem: e.problem }),
  "budget.near": (e) => ({
    spent_usd: toUsd(e.spentMicroUsd),
    budget_usd: toUsd(e.budgetMicroUsd),
  }),
  "agent.forked": (e) => ({
    agent: e.agent,
    worker: e.worker,
    state: e.state,
    attributes: e.attributes,
  }),
  "agent.ended": (e) => ({ agent: e.agent, state: e.state, result: e.result }),
  "agent.failed": (e) => ({
    agent: e.agent,
    state: e.state,
    class: e.class,
    problem: e.problem,
    hint: e.hint,
  }),
};

/** With the words of the tags themselves, so that a reader needs no second vocabulary. */
function transition(t: Transition): Readonly<Record<string, unknown>> {
  const parts = partsOf(t.tag).map((part) => [part.name, valueIn(t, part)] as const);
  const given = parts.filter(([, value]) => value !== undefined);
  const data = dataOf(t);
  return {
    tag: t.tag,
    ...Object.fromEntries(given),
    ...(data !== null && { attributes: data }),
  };
}

function reason(stop: StopReason): Readonly<Record<string, unknown>> {
  return {
    class: stop.class,
    message: stop.message,
    agent: stop.agent,
    state: stop.state,
    signal: signalOf(stop),
  };
}

function tokens(count: Tokens): Readonly<Record<string, number>> {
  return {
    input: count.input,
    output: count.output,
    cache_read: count.cacheRead,
    cache_write: count.cacheWrite,
  };
}

/** Null for a time that no calendar holds: an odd clock must not break the log. */
function iso(ms: number): string | null {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}
