import type { EventType } from "../../machine/event.ts";
import { headOf } from "./logged-event.ts";

/** The fields of an event that the history of a run uses (docs/events.md). All are optional, so that lines of other versions count. */
export interface HistoryLine {
  readonly type: string;
  readonly at: string;
  readonly workflow?: string;
  readonly total_usd?: number;
  readonly agent?: string;
  readonly worker?: string;
  readonly state?: string;
  readonly to?: string;
  readonly result?: string | null;
  readonly problem?: string;
  readonly process?: number;
  readonly session_id?: string | null;
  readonly cwd?: string;
  readonly client_version?: string | null;
  readonly host?: string;
  readonly pid?: number;
  readonly duration_ms?: number;
  readonly cost_usd?: number;
  readonly estimated_usd?: number;
  readonly tokens?: {
    readonly input: number;
    readonly output: number;
    readonly cache_read: number;
    readonly cache_write: number;
  };
  readonly context?: { readonly tokens: number; readonly window: number | null } | null;
  readonly denials?: readonly { readonly tool: string; readonly input: string }[];
}

/** Null for a line that is torn, irrelevant, or has a field of a wrong type. */
export function readHistoryLine(line: string): HistoryLine | null {
  const type = /^\{"type":"([a-z.-]+)"/.exec(line)?.[1];
  if (type !== undefined && IGNORED.has(type)) return null;
  // Only the time of script output is used.
  if (type === OUTPUT) return momentOf(line);
  try {
    const value: unknown = JSON.parse(line);
    return isHistoryLine(value) ? value : null;
  } catch {
    return null;
  }
}

function momentOf(line: string): HistoryLine | null {
  const head = headOf(line);
  return head && { type: head.type, at: head.at };
}

/** Irrelevant events, which most lines are. */
const IGNORED: ReadonlySet<string> = new Set<EventType>([
  "step.message",
  "step.tool",
  "step.notice",
]);
const OUTPUT: EventType = "step.output";

/** Without a schema, which takes four times as long as `JSON.parse`: logs are long. */
function isHistoryLine(value: unknown): value is HistoryLine {
  if (!isRecord(value)) return false;
  return FIELDS.every(([key, fits]) => fits(value[key]));
}

type Check = (value: unknown) => boolean;

const text: Check = (value) => value === undefined || typeof value === "string";
const textOrNull: Check = (value) => value === null || text(value);
const number: Check = (value) => value === undefined || Number.isFinite(value);

const CHECKS: { readonly [Key in keyof HistoryLine]-?: Check } = {
  type: (value) => typeof value === "string",
  at: (value) => typeof value === "string",
  workflow: text,
  total_usd: number,
  agent: text,
  worker: text,
  state: text,
  to: text,
  result: textOrNull,
  problem: text,
  process: number,
  session_id: textOrNull,
  cwd: text,
  client_version: textOrNull,
  host: text,
  pid: number,
  duration_ms: number,
  cost_usd: number,
  estimated_usd: number,
  tokens: (value) =>
    value === undefined || (isRecord(value) && COUNTS.every((of) => isCount(value[of]))),
  context: (value) =>
    value == null ||
    (isRecord(value) &&
      isCount(value["tokens"]) &&
      (value["window"] === null || isCount(value["window"]))),
  denials: (value) => value === undefined || (Array.isArray(value) && value.every(isDenial)),
};

const FIELDS: readonly (readonly [string, Check])[] = Object.entries(CHECKS);

const COUNTS = ["input", "output", "cache_read", "cache_write"] as const;

function isDenial(value: unknown): boolean {
  return isRecord(value) && typeof value["tool"] === "string" && typeof value["input"] === "string";
}

function isCount(value: unknown): boolean {
  return Number.isFinite(value);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
