import * as z from "zod";
import { RUN_STATUSES } from "../core/machine/run-state.ts";
import { EFFORTS } from "../core/workflow/state-file.ts";

/**
 * The state file as data (docs/state-file.md), in the order in which it is
 * written. Strict: an unknown field is an error, and so is a missing one that
 * is not marked optional here. Fields left out have the value that the comment
 * names. A field added later raises {@link STATE_VERSION}.
 */
export const STATE_VERSION = 2;

/** Texts longer than this, in bytes of UTF-8, lie in a file of their own. */
export const INLINE_BYTES = 64 * 1024;

/** A moment, ISO 8601 in UTC. */
const moment = z.iso.datetime();
const count = z.int().min(0);
/** Dollars; at most six decimals are kept. Beyond these bounds micro-dollars are not exact. */
const usd = z.number().min(-1e9).max(1e9);
/** A duration. Beyond these bounds milliseconds are not exact. */
const seconds = z.number().min(-1e12).max(1e12);
/** Of one token, micro-dollars. */
const price = z.number().min(0).max(1e9);
const failureClass = z.enum([
  "crash",
  "outage",
  "limit",
  "deterministic",
  "cancelled",
  "lost-session",
]);

/** A long text that lies beside: `file` is relative to the run's own folder. */
const payloadReference = z.strictObject({
  file: z.string().regex(/^payloads\/[0-9a-f]{64}\.txt$/, "must be like payloads/<sha256>.txt"),
  bytes: count,
});

/** A text of a model or a script: itself, or where it lies. */
const payload = z.union([z.string(), payloadReference], {
  error: "must be a text, or { file, bytes }",
});

const session = z.discriminatedUnion("mode", [
  z.strictObject({ mode: z.literal("fresh"), id: z.string().nullable(), source: z.null() }),
  z.strictObject({ mode: z.literal("resume"), id: z.string(), source: z.null() }),
  z.strictObject({ mode: z.literal("branch"), id: z.string().nullable(), source: z.string() }),
]);

const frame = z.strictObject({
  /** The conversation to wake; null: none yet. */
  session: z.string().nullable(),
  state: z.string(),
  /** When true, `session` is branched and not resumed. Left out: false. */
  branch: z.literal(true).exactOptional(),
  /** Id that was made for the branch, or for the fresh session. Left out: none. */
  id: z.string().exactOptional(),
});

const tokens = z.strictObject({
  input: count,
  output: count,
  cache_read: count,
  cache_write: count,
});

const sums = z.strictObject({
  attempts: count,
  cost_usd: usd,
  estimated_usd: usd,
  tokens,
  duration_s: seconds,
});

const agent = z.strictObject({
  id: z.string(),
  status: z.enum(["ready", "waiting", "failed"]),
  current_state: z.string(),
  session,
  /** The conversation so far, derived from `session`: its id, or a branch's source. */
  session_id: z.string().nullable(),
  stack: z.array(frame),
  cwd: z.string().nullable(),
  fork_attributes: dictionary(z.string()),
  pending_result: payload.nullable(),
  /** The session with which the state was entered. Left out: the same as `session`. */
  entered: session.exactOptional(),
  /** Left out: 0, and so the next three. */
  ready_since: count.exactOptional(),
  starts: count.exactOptional(),
  reminders: count.exactOptional(),
  retries: count.exactOptional(),
  /** Left out: null, and so those below. */
  fault: z
    .strictObject({
      code: z.enum([
        "no-tag",
        "no-reply",
        "several-tags",
        "unclosed-tag",
        "malformed-tag",
        "unknown-state",
        "ambiguous-state",
        "wrong-platform",
        "not-allowed",
        "bad-cd",
        "payload-too-large",
      ]),
      message: z.string(),
    })
    .exactOptional(),
  /** Time that attempts of this step have taken. Left out: 0. */
  elapsed_s: seconds.exactOptional(),
  /** What the next attempt sends. Left out: `prompt`. */
  delivery: z.enum(["reminder", "interrupted", "capped"]).exactOptional(),
  not_before: moment.exactOptional(),
  outage: z.strictObject({ since: moment, tries: count }).exactOptional(),
  in_flight: z
    .strictObject({
      process: count,
      kind: z.enum(["prompt", "script"]),
      started_at: moment,
      accepted: z.boolean(),
      reply: count.nullable(),
      /** What it has used so far. Left out: nothing was told. */
      spend: z
        .strictObject({
          client_version: z.string().nullable(),
          model: z.string().nullable(),
          tokens,
          list_price: price.nullable(),
        })
        .exactOptional(),
    })
    .exactOptional(),
  error: z
    .strictObject({
      class: failureClass,
      message: z.string(),
      hint: z.string().nullable(),
      state: z.string(),
    })
    .exactOptional(),
  /** Of its attempts so far, over all its states. Left out: none has ended. */
  sums: sums.exactOptional(),
});

const names = z.array(z.string()).nullable();

export const stateSchema = z.strictObject({
  version: z.literal(STATE_VERSION),
  workflow_id: z.string(),
  status: z.enum(RUN_STATUSES),
  stop_reason: z
    .strictObject({
      class: z.enum([...failureClass.options, "budget", "step-limit", "interrupted"]),
      message: z.string(),
      agent: z.string().nullable(),
      state: z.string().nullable(),
      /** Only of an interrupt. Left out: null. */
      signal: z.enum(["SIGINT", "SIGTERM", "SIGHUP"]).exactOptional(),
    })
    .nullable(),
  scope_dir: z.string(),
  launch_dir: z.string(),
  started_at: moment,
  updated_at: moment,
  settings: z.strictObject({
    model: z.string().nullable(),
    effort: z.enum(EFFORTS).nullable(),
    budget_usd: usd.nullable(),
    dangerously_skip_permissions: z.boolean(),
    timeout_s: seconds,
    tool_timeout_s: seconds,
    script_timeout_s: seconds,
    max_parallel: count,
    keep_going: z.boolean(),
    wait: z.boolean(),
    max_outage_s: seconds,
    max_wait_s: seconds,
    max_steps: count.nullable(),
    tools: names,
    allowed_tools: names,
    disallowed_tools: names,
    claude: z.string().nullable(),
    memory: z.boolean(),
    debug: z.boolean(),
    notify: z.string().nullable(),
  }),
  total_cost_usd: usd,
  steps: count,
  agents: z.array(agent),
  fork_counters: dictionary(count),
  results: dictionary(payload),
  workflow: z.strictObject({
    kind: z.enum(["folder", "zip"]),
    path: z.string(),
    entry: z.string(),
  }),
  backend: z.enum(["claude", "simulation"]),
  replies: dictionary(count),
  token: z.string(),
  processes: count,
  /** The run's; its cost is `total_cost_usd`. */
  totals: sums.omit({ cost_usd: true }),
  sums: z.strictObject({
    states: dictionary(sums),
    models: dictionary(sums),
  }),
  visits: dictionary(count),
  /** What each conversation had cost when its client last ended by itself. */
  baselines: dictionary(usd),
  /** Of one uncached input token of each model, micro-dollars: a fraction of one. */
  prices: dictionary(price),
  wait: z
    .strictObject({
      class: z.enum(["limit", "outage"]),
      until: moment,
      since: moment,
      tries: count,
      /** Number of the last process when the wait began. */
      process: count,
      message: z.string(),
    })
    .nullable(),
  saves: count,
});

/** The JSON of a state file. */
export type StateDocument = z.output<typeof stateSchema>;
export type AgentDocument = StateDocument["agents"][number];
export type SessionDocument = AgentDocument["session"];
export type FrameDocument = AgentDocument["stack"][number];
export type SumsDocument = z.output<typeof sums>;
export type PayloadReference = z.output<typeof payloadReference>;

/**
 * An object with any keys. Unlike `z.record` it keeps a key `__proto__`, which
 * an attribute may have. What its values are is noted for the published schema.
 */
function dictionary<T>(value: z.ZodType<T>) {
  const checked = z.unknown().transform((input, context): Record<string, T> => {
    if (typeof input !== "object" || input === null || Array.isArray(input)) {
      context.addIssue({ code: "custom", message: "must be an object" });
      return z.NEVER;
    }
    const entries = Object.entries(input).map(([key, each]) => {
      const parsed = value.safeParse(each);
      if (parsed.success) return [key, parsed.data] as const;
      for (const issue of parsed.error.issues) {
        context.issues.push({ ...issue, path: [key, ...issue.path], input: each });
      }
      return [key, z.NEVER] as const;
    });
    return Object.fromEntries(entries);
  });
  return checked.meta({ values: value });
}
