import type { EventType } from "../core/machine/event.ts";
import { headOf } from "./logged-event.ts";

/** A line of an event log, as far as the history of a run is made of it (docs/events.md). */
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

/** Null for a line that is torn, that says nothing here, or in which something is not what it should be. */
export function readHistoryLine(line: string): HistoryLine | null {
  const type = /^\{"type":"([a-z.-]+)"/.exec(line)?.[1];
  if (type !== undefined && SILENT.has(type)) return null;
  // Of what a script has written nothing matters but when it did.
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

/** Most lines, and none of them says anything here. */
const SILENT: ReadonlySet<string> = new Set<EventType>([
  "step.message",
  "step.tool",
  "step.notice",
]);
const OUTPUT: EventType = "step.output";

/** By hand: there are as many lines as a run is long, and a schema takes four times as long as `JSON.parse`. */
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
