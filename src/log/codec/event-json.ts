import { isSimulated } from "../../engine/ports/backend.ts";
import type { JsonObject } from "../../language/basics/json-object.ts";
import type { Event, EventType } from "../../machine/event.ts";
import { RUN_STATUSES } from "../../machine/run-state.ts";
import {
  answerer,
  context,
  denial,
  failureClass,
  kind,
  reason,
  tokens,
  transition,
  waitClass,
  waiting,
  where,
} from "./event-values.ts";
import {
  flag,
  isoOf,
  list,
  moment,
  nullable,
  number,
  type ObjectCodec,
  object,
  readObject,
  text,
  texts,
  UnreadableJson,
  usd,
  word,
} from "./json-codec.ts";

/** An event as JSON: snake_case keys, dollars as numbers, times in ms or ISO 8601. */
export type EventJson = JsonObject & { readonly type: EventType };

/** The encoding of events in `--json` and `events.jsonl` (docs/events.md). A golden test protects it: scripts read it. */
export function encodeEvent(event: Event): EventJson {
  const write = codecs[event.type].write as (event: Event) => JsonObject;
  return { type: event.type, ...write(event) };
}

/** The inverse of {@link encodeEvent}; null for anything else, or if a field is missing. Truncated texts stay truncated. */
export function decodeEvent(json: unknown): Event | null {
  try {
    const { type } = readObject(json);
    if (typeof type !== "string" || !isEventType(type)) return null;
    return { type, ...codecs[type].read(json) } as Event;
  } catch (error) {
    if (error instanceof UnreadableJson) return null;
    throw error;
  }
}

/** One line of an event stream, without its line end; `at` is epoch ms. */
export function eventLine(event: EventJson, seq: number, at: number): string {
  const { type, ...rest } = event;
  return JSON.stringify({ type, seq, at: isoOf(at), ...rest });
}

function isEventType(type: string): type is EventType {
  return Object.hasOwn(codecs, type);
}

/** Adds `simulated` before the name of the backend. */
function withSimulated<T extends { readonly backend: string }>(of: ObjectCodec<T>): ObjectCodec<T> {
  return {
    ...of,
    write: (event) => {
      const { backend, ...rest } = of.write(event);
      return { ...rest, simulated: isSimulated(event.backend), backend };
    },
  };
}

type Codecs = {
  readonly [T in EventType]: ObjectCodec<Omit<Extract<Event, { type: T }>, "type">>;
};

/** The keys of each event, in the order in which they are written. */
const codecs: Codecs = {
  "run.started": withSimulated(
    object({
      run: ["run", text],
      workflow: ["workflow", text],
      state: ["state", text],
      backend: ["backend", text],
    }),
  ),
  "run.resumed": withSimulated(
    object({ run: ["run", text], agents: ["agents", number], backend: ["backend", text] }),
  ),
  "run.rerun": object({
    run: ["run", text],
    of: ["of", text],
    step: ["step", number],
    costMicroUsd: ["cost_usd", usd],
    agents: ["agents", number],
  }),
  "run.taken-over": object({
    run: ["run", text],
    host: ["host", text],
    pid: ["pid", number],
    startedAt: ["started_at", text],
    heardAt: ["heard_at", text],
  }),
  "run.stopping": object({ reason: ["reason", reason], inFlight: ["in_flight", list(text)] }),
  "run.ended": object({
    run: ["run", text],
    status: ["status", word(...RUN_STATUSES)],
    reason: ["reason", nullable(reason)],
    costMicroUsd: ["cost_usd", usd],
    estimatedMicroUsd: ["estimated_usd", usd],
    steps: ["steps", number],
    results: ["results", texts],
  }),
  "run.waiting": object({
    class: ["class", waitClass],
    until: ["until", moment],
    leftMs: ["left_ms", number],
    message: ["message", text],
  }),
  "run.still-waiting": object({
    class: ["class", waitClass],
    until: ["until", moment],
    leftMs: ["left_ms", number],
  }),
  "run.woke": object({ class: ["class", waitClass] }),
  "run.warning": object({ message: ["message", text], hint: ["hint", nullable(text)] }),
  "step.started": object({
    ...where,
    kind: ["kind", kind],
    process: ["process", number],
    attempt: ["attempt", number],
    session: ["session", nullable(word("fresh", "resume", "branch"))],
    sessionId: ["session_id", nullable(text)],
    cwd: ["cwd", text],
    delivery: ["delivery", word("prompt", "reminder", "gate", "interrupted", "capped")],
  }),
  "step.message": object({ ...where, text: ["text", text] }),
  "step.output": object({
    ...where,
    stream: ["stream", word("stdout", "stderr")],
    text: ["text", text],
  }),
  "step.tool": object({ ...where, tool: ["tool", text], argument: ["argument", text] }),
  "step.notice": object({ ...where, text: ["text", text] }),
  "step.ended": object({
    ...where,
    kind: ["kind", kind],
    process: ["process", number],
    ok: ["ok", flag],
    failure: ["failure", nullable(failureClass)],
    durationMs: ["duration_ms", number],
    costMicroUsd: ["cost_usd", usd],
    estimatedMicroUsd: ["estimated_usd", usd],
    totalMicroUsd: ["total_usd", usd],
    tokens: ["tokens", tokens],
    model: ["model", nullable(text)],
    version: ["client_version", nullable(text)],
    denials: ["denials", list(denial)],
    context: ["context", nullable(context)],
  }),
  "agent.moved": object({
    agent: ["agent", text],
    from: ["from", text],
    to: ["to", text],
    transition: ["transition", transition],
    implied: ["implied", flag],
    dropped: ["dropped", number],
  }),
  "agent.reminded": object({
    ...where,
    reminder: ["reminder", number],
    problem: ["problem", text],
  }),
  "agent.sent-back": object({
    ...where,
    gate: ["gate", text],
    times: ["times", number],
    problem: ["problem", text],
  }),
  "agent.retrying": object({
    ...where,
    class: ["class", failureClass],
    problem: ["problem", text],
    retry: ["retry", number],
    delayMs: ["delay_ms", number],
  }),
  "agent.waiting": waiting,
  "agent.continued": object({ ...where, problem: ["problem", text] }),
  "agent.diverted": object({
    agent: ["agent", text],
    from: ["from", text],
    to: ["to", text],
    by: ["by", word("on_error", "on_fail", "on_context")],
    problem: ["problem", text],
  }),
  "budget.near": object({ spentMicroUsd: ["spent_usd", usd], budgetMicroUsd: ["budget_usd", usd] }),
  "agent.forked": object({
    agent: ["agent", text],
    worker: ["worker", text],
    state: ["state", text],
    attributes: ["attributes", texts],
  }),
  "agent.joined": object({
    ...where,
    ended: ["ended", number],
    living: ["living", number],
    late: ["late", flag],
  }),
  "agent.asked": object({
    ...where,
    number: ["number", number],
    question: ["question", text],
    options: ["options", nullable(list(text))],
    until: ["until", nullable(moment)],
  }),
  "agent.answered": object({
    ...where,
    number: ["number", number],
    answer: ["answer", text],
    by: ["by", answerer],
    at: ["given_at", moment],
  }),
  "agent.unanswered": object({ ...where, number: ["number", number] }),
  "agent.opened": object(where),
  "agent.handed-back": object({
    ...where,
    session: ["session_id", nullable(text)],
    costMicroUsd: ["cost_usd", usd],
    estimatedMicroUsd: ["estimated_usd", usd],
    totalMicroUsd: ["total_usd", usd],
    tokens: ["tokens", tokens],
  }),
  "agent.ended": object({ ...where, result: ["result", nullable(text)] }),
  "agent.failed": object({
    ...where,
    class: ["class", failureClass],
    problem: ["problem", text],
    hint: ["hint", nullable(text)],
  }),
};
