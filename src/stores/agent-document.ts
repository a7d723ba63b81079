import * as z from "zod/mini";
import { type Activity, READY } from "../core/machine/activity.ts";
import { type Agent, conversationOf, type Frame, type Session } from "../core/machine/agent.ts";
import { FAILURE_CLASSES } from "../core/machine/failure.ts";
import { NO_SUMS } from "../core/machine/sums.ts";
import { dictionary } from "./dictionary.ts";
import { forkedList } from "./forked-document.ts";
import {
  as,
  type CoreOf,
  consistent,
  type JsonOf,
  list,
  orNull,
  record,
  repeats,
  type Shape,
  same,
  unless,
  unlessAs,
  variants,
  via,
} from "./shape.ts";
import { spend, sums } from "./spend-document.ts";
import { transition } from "./transition-document.ts";
import { count, date, flag, moment, payload, seconds, text, textOrNull, word } from "./values.ts";

const nothing = same(() => z.null());

/** `source` is the conversation that is branched; the core has none where none is. */
const sessionRow = variants("mode", {
  fresh: record({
    mode: as("mode", literal("fresh")),
    id: as("id", textOrNull),
    source: as("source", nothing),
  }),
  resume: record({
    mode: as("mode", literal("resume")),
    id: as("id", text),
    source: as("source", nothing),
  }),
  branch: record({
    mode: as("mode", literal("branch")),
    id: as("id", textOrNull),
    source: as("source", text),
  }),
});

const session = via(
  sessionRow,
  (of: Session): CoreOf<typeof sessionRow> => (of.mode === "branch" ? of : { ...of, source: null }),
  (row): Session => {
    switch (row.mode) {
      case "fresh":
        return { mode: "fresh", id: row.id };
      case "resume":
        return { mode: "resume", id: row.id };
      case "branch":
        return row;
    }
  },
);

/** A caller. Its session in few words, for people. */
const frameRow = record({
  /** The conversation to wake; null: none yet. */
  session: as("session", textOrNull),
  returnTo: as("state", text),
  /** Left out: in the workflow that was started. */
  workflow: unless("workflow", null, text),
  /** Whether its call named a workflow. */
  crossed: unless("crossed", false, literal(true)),
  /** When true, `session` is branched and not resumed. */
  branch: unless("branch", false, literal(true)),
  /** Id that was made for the branch, or for the fresh session. */
  id: unless("id", null, text),
});

const frame = via(
  frameRow,
  ({ session: of, ...caller }: Frame): CoreOf<typeof frameRow> => ({
    ...caller,
    session: conversationOf(of),
    branch: of.mode === "branch",
    id: of.mode === "resume" ? null : of.id,
  }),
  ({ session: of, branch, id, ...caller }): Frame => {
    if (of === null) return { ...caller, session: { mode: "fresh", id } };
    if (branch) return { ...caller, session: { mode: "branch", source: of, id } };
    return { ...caller, session: { mode: "resume", id: of } };
  },
);

const fault = record({
  code: as(
    "code",
    word(() => [
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
    ]),
  ),
  message: as("message", text),
});

const stepError = record({
  class: as(
    "class",
    word(() => [...FAILURE_CLASSES]),
  ),
  message: as("message", text),
  hint: as("hint", textOrNull),
  state: as("state", text),
});

const waitCause = variants("kind", {
  retry: record({
    kind: as("kind", literal("retry")),
    class: as(
      "class",
      word(() => ["crash", "outage"]),
    ),
    tries: as("tries", count),
  }),
  limit: record({ kind: as("kind", literal("limit")), message: as("message", text) }),
  delay: record({ kind: as("kind", literal("delay")) }),
  join: record({
    kind: as("kind", literal("join")),
    min: as("min", orNull(count)),
    late: as("late", textOrNull),
  }),
  answer: record({
    kind: as("kind", literal("answer")),
    number: as("number", count),
    question: as("question", payload),
    options: as("options", orNull(list(text))),
    late: as(
      "late",
      orNull(record({ state: as("state", text), input: as("input", orNull(payload)) })),
    ),
    from: as("from", text),
    call: as("call", count),
  }),
});

/** What an agent does, or why it does nothing; of one that is ready it is left out. */
const activity = variants("type", {
  running: record({
    type: as("type", literal("running")),
    process: as("process", count),
    kind: as(
      "kind",
      word(() => ["prompt", "script"]),
    ),
    startedAt: as("started_at", date),
    accepted: as("accepted", flag),
    conversationBytes: unless("conversation_bytes", null, count),
    call: as("call", orNull(count)),
    /** What it has used so far. */
    spend: unless("spend", null, spend),
  }),
  waiting: record({
    type: as("type", literal("waiting")),
    since: unless("since", null, moment),
    until: as("until", orNull(moment)),
    for: as("for", waitCause),
  }),
  failed: record({ type: as("type", literal("failed")), error: as("error", stepError) }),
});

/** What it would do next, and what that has to pass first. */
const gate = record({
  transitions: as("transitions", list(transition)),
  implied: as("implied", flag),
  checks: as(
    "checks",
    list(
      record({
        state: as("state", text),
        attempts: as("attempts", count),
        onFail: as("on_fail", textOrNull),
      }),
    ),
  ),
  starts: as("starts", count),
});

/** With what a gate has sent it back last. */
const sentBack = record({
  times: as("times", count),
  problem: as("problem", text),
  said: as("said", payload),
});

const NONE: readonly never[] = [];

const whole = record({
  id: as("id", text),
  /** Derived from `activity`: of a running agent it is `ready`. */
  status: repeats(
    "status",
    word(() => ["ready", "waiting", "failed"]),
    ({ activity: of }: Agent) => statusOf(of),
  ),
  /** Left out: in the workflow that was started. */
  workflow: unless("workflow", null, text),
  state: as("current_state", text),
  session: as("session", session),
  /** The conversation so far, derived from `session`: its id, or a branch's source. */
  conversation: repeats("session_id", textOrNull, ({ session: of }: Agent) => conversationOf(of)),
  stack: as("stack", list(frame)),
  cwd: as("cwd", textOrNull),
  attributes: as("fork_attributes", dictionary(text)),
  pendingResult: as("pending_result", orNull(payload)),
  /** The session with which the state was entered, where it is another than `session`. */
  entered: unlessAs("entered", "session", session, isSameSession),
  readySince: unless("ready_since", 0, count),
  starts: unless("starts", 0, count),
  reminders: unless("reminders", 0, count),
  retries: unless("retries", 0, count),
  fault: unless("fault", null, fault),
  gate: unless("gate", null, gate),
  wanted: unless("wanted", null, text),
  sentBack: unless("sent_back", null, sentBack),
  /** Time that attempts of this step have taken. */
  elapsedMs: unless("elapsed_s", 0, seconds),
  /** What the next attempt sends. */
  delivery: unless(
    "delivery",
    "prompt",
    word(() => ["reminder", "gate", "interrupted", "capped"]),
  ),
  outage: unless("outage", null, record({ since: as("since", moment), tries: as("tries", count) })),
  /** When a person has opened its conversation, who has not left it yet as far as is known. */
  opened: unless("opened", null, moment),
  activity: unless("activity", READY, activity, ({ type }) => type === "ready"),
  /** Its workers that no join has taken. */
  forked: unless("forked", NONE, forkedList, (all) => all.length === 0),
  reports: unless("reports", false, literal(true)),
  /** Of its attempts so far, over all its states. */
  sums: unless("sums", NO_SUMS, sums, ({ attempts }) => attempts === 0),
});

/** An agent (docs/state-file.md, "An agent"). */
export const agent: Shape<Agent, JsonOf<typeof whole>> = consistent(whole, (json) => {
  if (json.status !== statusOf(json.activity ?? READY)) {
    return { field: "status", problem: "is not what `activity` beside it says" };
  }
  if (json.session_id !== conversationOf(json.session)) {
    return { field: "session_id", problem: "is not what `session` beside it says" };
  }
  return null;
});

function literal<const Value extends string | true>(value: Value): Shape<Value, Value> {
  return same(() => z.literal(value));
}

/** The name that a state file has for what an agent does. */
function statusOf({ type }: Pick<Activity, "type">): "ready" | "waiting" | "failed" {
  switch (type) {
    case "ready":
    case "running":
      return "ready";
    case "waiting":
    case "failed":
      return type;
  }
}

function isSameSession(a: Session, b: Session): boolean {
  if (a.mode !== b.mode || a.id !== b.id) return false;
  return conversationOf(a) === conversationOf(b);
}
