import { en } from "zod/locales";
import * as z from "zod/mini";
import { RUN_STATUSES } from "../core/machine/run-state.ts";
import { EFFORTS } from "../core/workflow/state-file.ts";
import { STATE_VERSION } from "./state-version.ts";

/**
 * The state file as data (docs/state-file.md), in the order in which it is
 * written. Strict: an unknown field is an error, and so is a missing one that
 * is not marked optional here. Fields left out have the value that the comment
 * names. A field added later raises {@link STATE_VERSION}.
 */
/** How values are parsed: the small build of zod has no words of its own for what is wrong with them. */
export const IN_ENGLISH = { error: en().localeError };

/** A moment, ISO 8601 in UTC. */
const moment = z.iso.datetime();
const count = z.int().check(z.minimum(0));
/** Dollars; at most six decimals are kept. Beyond these bounds micro-dollars are not exact. */
const usd = z.number().check(z.minimum(-1e9), z.maximum(1e9));
/** A duration. Beyond these bounds milliseconds are not exact. */
const seconds = z.number().check(z.minimum(-1e12), z.maximum(1e12));
/** Of one token, micro-dollars. */
const price = z.number().check(z.minimum(0), z.maximum(1e9));
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
  file: z
    .string()
    .check(z.regex(/^payloads\/[0-9a-f]{64}\.txt$/, "must be like payloads/<sha256>.txt")),
  bytes: count,
});

/** A text of a model or a script: itself, or where it lies. */
const payload = z.union([z.string(), payloadReference], {
  error: "must be a text, or { file, bytes }",
});

const session = z.discriminatedUnion("mode", [
  z.strictObject({ mode: z.literal("fresh"), id: z.nullable(z.string()), source: z.null() }),
  z.strictObject({ mode: z.literal("resume"), id: z.string(), source: z.null() }),
  z.strictObject({ mode: z.literal("branch"), id: z.nullable(z.string()), source: z.string() }),
]);

const frame = z.strictObject({
  /** The conversation to wake; null: none yet. */
  session: z.nullable(z.string()),
  state: z.string(),
  /** When true, `session` is branched and not resumed. Left out: false. */
  branch: z.exactOptional(z.literal(true)),
  /** Id that was made for the branch, or for the fresh session. Left out: none. */
  id: z.exactOptional(z.string()),
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

/** What an agent does, or why it does nothing; of one that is ready it is left out. */
const activity = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("running"),
    process: count,
    kind: z.enum(["prompt", "script"]),
    started_at: moment,
    accepted: z.boolean(),
    call: z.nullable(count),
    /** What it has used so far. Left out: nothing was told. */
    spend: z.exactOptional(
      z.strictObject({
        client_version: z.nullable(z.string()),
        model: z.nullable(z.string()),
        tokens,
        list_price: z.nullable(price),
      }),
    ),
  }),
  z.strictObject({
    type: z.literal("waiting"),
    until: moment,
    for: z.discriminatedUnion("kind", [
      z.strictObject({
        kind: z.literal("retry"),
        class: z.enum(["crash", "outage"]),
        tries: count,
      }),
      z.strictObject({ kind: z.literal("limit"), message: z.string() }),
    ]),
  }),
  z.strictObject({
    type: z.literal("failed"),
    error: z.strictObject({
      class: failureClass,
      message: z.string(),
      hint: z.nullable(z.string()),
      state: z.string(),
    }),
  }),
]);

const agent = z.strictObject({
  id: z.string(),
  /** Derived from `activity`: of a running agent it is `ready`. */
  status: z.enum(["ready", "waiting", "failed"]),
  current_state: z.string(),
  session,
  /** The conversation so far, derived from `session`: its id, or a branch's source. */
  session_id: z.nullable(z.string()),
  stack: z.array(frame),
  cwd: z.nullable(z.string()),
  fork_attributes: dictionary(z.string()),
  pending_result: z.nullable(payload),
  /** The session with which the state was entered. Left out: the same as `session`. */
  entered: z.exactOptional(session),
  /** Left out: 0, and so the next three. */
  ready_since: z.exactOptional(count),
  starts: z.exactOptional(count),
  reminders: z.exactOptional(count),
  retries: z.exactOptional(count),
  /** Left out: null, and so those below. */
  fault: z.exactOptional(
    z.strictObject({
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
    }),
  ),
  /** Time that attempts of this step have taken. Left out: 0. */
  elapsed_s: z.exactOptional(seconds),
  /** What the next attempt sends. Left out: `prompt`. */
  delivery: z.exactOptional(z.enum(["reminder", "interrupted", "capped"])),
  outage: z.exactOptional(z.strictObject({ since: moment, tries: count })),
  /** Left out: it is ready. */
  activity: z.exactOptional(activity),
  /** Of its attempts so far, over all its states. Left out: none has ended. */
  sums: z.exactOptional(sums),
});

const names = z.nullable(z.array(z.string()));

const stop = {
  message: z.string(),
  agent: z.nullable(z.string()),
  state: z.nullable(z.string()),
};

export const stateSchema = z.strictObject({
  version: z.literal(STATE_VERSION),
  workflow_id: z.string(),
  status: z.enum(RUN_STATUSES),
  stop_reason: z.nullable(
    z.discriminatedUnion("class", [
      z.strictObject({
        class: z.enum([...failureClass.options, "budget", "step-limit"]),
        ...stop,
      }),
      z.strictObject({
        class: z.literal("interrupted"),
        ...stop,
        signal: z.enum(["SIGINT", "SIGTERM", "SIGHUP"]),
      }),
    ]),
  ),
  scope_dir: z.string(),
  launch_dir: z.string(),
  started_at: moment,
  updated_at: moment,
  settings: z.strictObject({
    model: z.nullable(z.string()),
    effort: z.nullable(z.enum(EFFORTS)),
    budget_usd: z.nullable(usd),
    dangerously_skip_permissions: z.boolean(),
    timeout_s: seconds,
    tool_timeout_s: seconds,
    script_timeout_s: seconds,
    max_parallel: count,
    max_agents: count,
    keep_going: z.boolean(),
    wait: z.boolean(),
    max_outage_s: seconds,
    max_wait_s: seconds,
    max_steps: z.nullable(count),
    tools: names,
    allowed_tools: names,
    disallowed_tools: names,
    client: z.nullable(z.string()),
    /** What only the backend understands, by name. */
    switches: dictionary(z.boolean()),
    debug: z.boolean(),
    notify: z.nullable(z.string()),
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
  backend: z.string(),
  calls: dictionary(count),
  token: z.string(),
  processes: count,
  /** The run's; its cost is `total_cost_usd`. */
  totals: z.omit(sums, { cost_usd: true }),
  sums: z.strictObject({
    states: dictionary(sums),
    models: dictionary(sums),
  }),
  visits: dictionary(count),
  /** What each conversation had cost when its client last ended by itself. */
  baselines: dictionary(usd),
  /** Of one uncached input token of each model, micro-dollars: a fraction of one. */
  prices: dictionary(price),
  wait: z.nullable(
    z.strictObject({
      class: z.enum(["limit", "outage"]),
      until: moment,
      since: moment,
      tries: count,
      /** Number of the last process when the wait began. */
      process: count,
      message: z.string(),
    }),
  ),
  /** Number of the last event that was told. */
  seq: count,
  saves: count,
});

/** The JSON of a state file. */
export type StateDocument = z.output<typeof stateSchema>;
export type AgentDocument = StateDocument["agents"][number];
export type ActivityDocument = NonNullable<AgentDocument["activity"]>;
export type SessionDocument = AgentDocument["session"];
export type FrameDocument = AgentDocument["stack"][number];
export type SumsDocument = z.output<typeof sums>;
export type PayloadReference = z.output<typeof payloadReference>;

/**
 * An object with any keys. Unlike `z.record` it keeps a key `__proto__`, which
 * an attribute may have. What its values are is noted for the published schema.
 */
function dictionary<T>(value: z.ZodMiniType<T>) {
  const read = z.transform((input: unknown, context): Record<string, T> => {
    if (typeof input !== "object" || input === null || Array.isArray(input)) {
      context.issues.push({ code: "custom", message: "must be an object", input });
      return z.NEVER;
    }
    const entries = Object.entries(input).map(([key, each]) => {
      const parsed = value.safeParse(each, IN_ENGLISH);
      if (parsed.success) return [key, parsed.data] as const;
      for (const issue of parsed.error.issues) {
        context.issues.push({ ...issue, path: [key, ...issue.path], input: each });
      }
      return [key, z.NEVER] as const;
    });
    return Object.fromEntries(entries);
  });
  const checked = z.pipe(z.unknown(), read);
  z.globalRegistry.add(checked, { values: value });
  return checked;
}
