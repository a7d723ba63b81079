import * as z from "zod/mini";
import { FAULT_CODES } from "../../language/protocol/fault.ts";
import { type Activity, READY } from "../../machine/model/activity.ts";
import {
  type Agent,
  conversationOf,
  type Frame,
  NOTES,
  type Session,
} from "../../machine/model/agent.ts";
import { FAILURE_CLASSES } from "../../machine/model/failure.ts";
import { NO_TOTALS } from "../../machine/model/totals.ts";
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
import {
  count,
  date,
  flag,
  literal,
  moment,
  payload,
  seconds,
  text,
  textOrNull,
  word,
} from "./values.ts";

/** In the file `source` is null except in mode `branch`, where it is the conversation that is branched. */
const noSource = repeats(
  "source",
  same(() => z.null()),
  () => null,
);

const session = variants("mode", {
  fresh: record({ mode: literal("fresh"), id: textOrNull, source: noSource }),
  resume: record({ mode: literal("resume"), id: text, source: noSource }),
  branch: record({ mode: literal("branch"), id: textOrNull, source: text }),
});

/** A caller, with its session in a short form. */
const frameRow = record({
  /** The conversation to resume; null: none yet. */
  session: textOrNull,
  returnTo: as("state", text),
  /** Absent: the workflow that was started. */
  workflow: unless("workflow", null, text),
  /** Whether the call named a workflow. */
  crossed: unless("crossed", false, literal(true)),
  /** When true, `session` is branched and not resumed. */
  branch: unless("branch", false, literal(true)),
  /** Id of the branch or the fresh session. */
  id: unless("id", null, text),
  /** The schema file that the returned result must match. */
  schema: unless("schema", undefined, text),
});

const frame = via(
  frameRow,
  ({ session: of, schema, ...caller }: Frame): CoreOf<typeof frameRow> => ({
    ...caller,
    schema,
    session: conversationOf(of),
    branch: of.mode === "branch",
    id: of.mode === "resume" ? null : of.id,
  }),
  ({ session: of, branch, id, schema, ...rest }): Frame => {
    const caller = schema === undefined ? rest : { ...rest, schema };
    if (of === null) return { ...caller, session: { mode: "fresh", id } };
    if (branch) return { ...caller, session: { mode: "branch", source: of, id } };
    return { ...caller, session: { mode: "resume", id: of } };
  },
);

const fault = record({ code: word(...FAULT_CODES), message: text });

const stepError = record({
  class: word(...FAILURE_CLASSES),
  message: text,
  hint: textOrNull,
  state: text,
});

const denial = record({ tool: text, input: text, exact: unless("exact", undefined, text) });

/** A tool call that a person has allowed. */
export const grant = record({ tool: text, argument: text });

const ruling = record({ calls: list(denial), once: list(grant), refused: list(denial) });

const waitCause = variants("kind", {
  retry: record({ kind: literal("retry"), class: word("crash", "outage"), tries: count }),
  limit: record({ kind: literal("limit"), message: text }),
  delay: record({ kind: literal("delay") }),
  join: record({ kind: literal("join"), min: orNull(count), late: textOrNull }),
  answer: record({
    kind: literal("answer"),
    number: count,
    question: payload,
    options: orNull(list(text)),
    late: orNull(record({ state: text, input: orNull(payload) })),
    from: text,
    call: count,
    denied: unless("denied", undefined, list(denial)),
  }),
});

/** What an agent does. Absent: it is ready. */
const activity = variants("type", {
  running: record({
    type: literal("running"),
    process: count,
    kind: word("prompt", "script"),
    startedAt: as("started_at", date),
    accepted: flag,
    conversationBytes: unless("conversation_bytes", null, count),
    call: orNull(count),
    spend: unless("spend", null, spend),
    /** The coding agent; null for scripts. */
    backend: textOrNull,
  }),
  waiting: record({
    type: literal("waiting"),
    since: unless("since", null, moment),
    until: orNull(moment),
    for: waitCause,
  }),
  failed: record({ type: literal("failed"), error: stepError }),
});

const outage = record({
  since: moment,
  tries: count,
  backend: text,
  /** Start of the outage of `backend`. */
  from: moment,
});

/** Transitions that wait for gates. */
const gate = record({
  transitions: list(transition),
  implied: flag,
  checks: list(record({ state: text, attempts: count, onFail: as("on_fail", textOrNull) })),
  starts: count,
  /** It prepares a worktree. */
  setup: unless("setup", undefined, literal(true)),
});

/** The last failure of a gate. */
const sentBack = record({ times: count, problem: text, said: payload });

const NONE: readonly never[] = [];

export const WORKTREE = {
  ...{ folder: text, branch: text, base: text, repository: text, origin: text },
  copy: list(text),
};

const whole = record({
  id: text,
  /** Derived from `activity`; `ready` for a running agent. */
  status: repeats("status", word("ready", "waiting", "failed"), ({ activity: of }: Agent) =>
    statusOf(of),
  ),
  /** Absent: the workflow that was started. */
  workflow: unless("workflow", null, text),
  state: as("current_state", text),
  session,
  /** The conversation so far, derived from `session`: its id, or a branch's source. */
  conversation: repeats("session_id", textOrNull, ({ session: of }: Agent) => conversationOf(of)),
  stack: list(frame),
  cwd: textOrNull,
  /** The git worktree that was created for it. */
  worktree: unless(
    "worktree",
    undefined,
    record({ ...WORKTREE, checkout: unless("checkout", undefined, text) }),
  ),
  attributes: as("fork_attributes", dictionary(text)),
  pendingResult: as("pending_result", orNull(payload)),
  /** The session with which the state was entered, if it differs from `session`. */
  entered: unlessAs("entered", "session", session, isSameSession),
  readySince: unless("ready_since", 0, count),
  starts: unless("starts", 0, count),
  reminders: unless("reminders", 0, count),
  retries: unless("retries", 0, count),
  fault: unless("fault", null, fault),
  gate: unless("gate", null, gate),
  wanted: unless("wanted", null, text),
  sentBack: unless("sent_back", null, sentBack),
  /** Total time of the attempts of this step. */
  elapsedMs: unless("elapsed_s", 0, seconds),
  /** The content of the next attempt. */
  delivery: unless("delivery", "prompt", word(...NOTES)),
  ruling: unless("ruling", undefined, ruling),
  outage: unless("outage", null, outage),
  /** Start of an open manual session. */
  opened: unless("opened", null, moment),
  /** A result that a person has set and that is not applied yet. */
  setResult: unless("set_result", null, payload),
  activity: unless("activity", READY, activity, ({ type }) => type === "ready"),
  /** Workers that were not joined yet. */
  forked: unless("forked", NONE, forkedList, (all) => all.length === 0),
  reports: unless("reports", false, literal(true)),
  /** Totals of all attempts of the agent. */
  sums: unless("sums", NO_TOTALS, sums, ({ attempts }) => attempts === 0),
});

/** docs/state-file.md, "Agents". */
export const agent: Shape<Agent, JsonOf<typeof whole>> = consistent(whole, (json) => {
  if (json.status !== statusOf(json.activity ?? READY)) {
    return { field: "status", problem: "contradicts `activity`" };
  }
  if (json.session_id !== conversationOf(json.session)) {
    return { field: "session_id", problem: "contradicts `session`" };
  }
  return null;
});

/** The `status` of an agent in the state file. */
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
