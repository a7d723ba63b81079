import { isSimulated } from "../../engine/ports/backend.ts";
import type { Observer } from "../../engine/ports/observer.ts";
import type { JsonObject } from "../../language/basics/json-object.ts";
import { DELIVERIES } from "../../machine/model/agent.ts";
import { CONTROL_ACTIONS, type Event, type EventType } from "../../machine/model/event.ts";
import { RUN_STATUSES } from "../../machine/model/run-state.ts";
import {
  actor,
  changes,
  context,
  denial,
  denialCount,
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
  optional,
  orEmpty,
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

/** One line of an event stream, without its line end. `at`: epoch ms. `shorten`: applied to all texts. */
export function eventLine(
  { type, ...rest }: EventJson,
  seq: number,
  at: number,
  shorten?: (text: string) => string,
): string {
  const replacer = (_key: string, value: unknown) =>
    typeof value === "string" ? shorten?.(value) : value;
  return JSON.stringify(
    { type, seq, at: isoOf(at), ...rest },
    shorten === undefined ? undefined : replacer,
  );
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

type Body<T extends EventType> = Omit<Extract<Event, { type: T }>, "type">;

type Codecs = { readonly [T in EventType]: ObjectCodec<Body<T>> };

/** A coding agent, if not the default agent of the run. */
const agentName = optional(text);

/** The keys of each event, in the order in which they are written. */
const codecs: Codecs = {
  "run.started": withSimulated(
    object<Body<"run.started">>({
      ...{ run: text, workflow: text, state: text, backend: text },
      actor: optional(actor),
    }),
  ),
  "run.resumed": withSimulated(
    object<Body<"run.resumed">>({
      ...{ run: text, agents: number, backend: text },
      actor: optional(actor),
      changed: optional(list(text)),
    }),
  ),
  "run.controlled": object({
    run: text,
    action: word(...CONTROL_ACTIONS),
    target: nullable(text),
    actor,
  }),
  "run.rerun": object<Body<"run.rerun">>({
    run: text,
    of: text,
    step: number,
    costMicroUsd: ["cost_usd", usd],
    agents: number,
    actor: optional(actor),
  }),
  "run.taken-over": object<Body<"run.taken-over">>({
    run: text,
    host: text,
    pid: number,
    startedAt: ["started_at", text],
    lastSeenAt: ["last_seen_at", text],
    actor: optional(actor),
  }),
  "run.stopping": object({ reason, inFlight: ["in_flight", list(text)] }),
  "run.ended": object({
    run: text,
    status: word(...RUN_STATUSES),
    reason: nullable(reason),
    costMicroUsd: ["cost_usd", usd],
    estimatedMicroUsd: ["estimated_usd", usd],
    steps: number,
    results: texts,
    denied: orEmpty(denialCount),
  }),
  "run.waiting": object<Body<"run.waiting">>({
    class: waitClass,
    until: moment,
    leftMs: ["left_ms", number],
    message: text,
    backend: agentName,
  }),
  "run.still-waiting": object<Body<"run.still-waiting">>({
    class: waitClass,
    until: moment,
    leftMs: ["left_ms", number],
    backend: agentName,
  }),
  "run.woke": object<Body<"run.woke">>({ class: waitClass, backend: agentName }),
  "run.warning": object({ message: text, hint: nullable(text) }),
  "step.started": object<Body<"step.started">>({
    ...where,
    kind,
    process: number,
    attempt: number,
    session: nullable(word("fresh", "resume", "branch")),
    sessionId: ["session_id", nullable(text)],
    cwd: text,
    delivery: word(...DELIVERIES),
    backend: agentName,
    insteadOf: ["instead_of", optional(text)],
  }),
  "step.message": object({ ...where, text }),
  "step.output": object({ ...where, stream: word("stdout", "stderr"), text }),
  "step.tool": object({ ...where, tool: text, argument: text }),
  "step.notice": object<Body<"step.notice">>({ ...where, text, minor: optional(flag) }),
  "step.ended": object<Body<"step.ended">>({
    ...where,
    kind,
    process: number,
    ok: flag,
    failure: nullable(failureClass),
    durationMs: ["duration_ms", number],
    costMicroUsd: ["cost_usd", usd],
    estimatedMicroUsd: ["estimated_usd", usd],
    totalMicroUsd: ["total_usd", usd],
    tokens,
    model: nullable(text),
    version: ["client_version", nullable(text)],
    denials: list(denial),
    context: nullable(context),
    changes: optional(changes),
  }),
  "agent.moved": object({
    agent: text,
    from: text,
    to: text,
    transition,
    implied: flag,
    dropped: number,
  }),
  "agent.reminded": object({ ...where, reminder: number, problem: text }),
  "agent.sent-back": object({ ...where, gate: text, times: number, problem: text }),
  "agent.retrying": object({
    ...where,
    class: failureClass,
    problem: text,
    retry: number,
    delayMs: ["delay_ms", number],
  }),
  "agent.waiting": waiting,
  "agent.continued": object({ ...where, problem: text }),
  "agent.diverted": object({
    agent: text,
    from: text,
    to: text,
    by: word("on_error", "on_fail", "on_context"),
    problem: text,
  }),
  "budget.near": object({ spentMicroUsd: ["spent_usd", usd], budgetMicroUsd: ["budget_usd", usd] }),
  "agent.forked": object({
    ...{ agent: text, worker: text, state: text, attributes: texts },
    branch: optional(text),
  }),
  "agent.joined": object({ ...where, ended: number, living: number, late: flag }),
  "agent.asked": object({
    ...where,
    number,
    question: text,
    options: nullable(list(text)),
    until: nullable(moment),
  }),
  "agent.answered": object({
    ...where,
    number,
    answer: text,
    by: actor,
    at: ["given_at", moment],
  }),
  "agent.result-set": object({ ...where, result: text, reason: nullable(text), actor }),
  "agent.unanswered": object({ ...where, number }),
  "agent.opened": object(where),
  "agent.handed-back": object({
    ...where,
    session: ["session_id", nullable(text)],
    costMicroUsd: ["cost_usd", usd],
    estimatedMicroUsd: ["estimated_usd", usd],
    totalMicroUsd: ["total_usd", usd],
    tokens,
  }),
  "agent.ended": object({ ...where, result: nullable(text) }),
  "agent.failed": object({ ...where, class: failureClass, problem: text, hint: nullable(text) }),
};

/**
 * Writes one event per line, for `--json` (docs/events.md). `line` receives lines without a line end. Its errors are
 * ignored: a closed pipe must not stop a run.
 */
export function jsonObserver(line: (text: string) => void, clock: { now(): number }): Observer {
  return {
    notify(event, _run, seq) {
      try {
        line(eventLine(encodeEvent(event), seq, clock.now()));
      } catch {
        // The destination is closed or full.
      }
    },
  };
}
