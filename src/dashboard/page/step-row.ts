import { formatDuration } from "../../core/duration.ts";
import { formatUsd, toMicroUsd } from "../../core/money.ts";
import type { Tone } from "../../observers/line.ts";
import { localTime } from "../../observers/local-time.ts";
import { printable } from "../../observers/printable.ts";
import type { LoggedJson, StepJson } from "../../runs/json/shapes.ts";
import { elapsed } from "./elapsed.ts";
import { agentOf } from "./step-book.ts";
import { toldLines } from "./told-lines.ts";

/** A step as the list shows it: all of it text that is safe to show. */
export interface StepRow {
  readonly number: number;
  readonly agent: string;
  readonly state: string;
  readonly symbol: string;
  readonly tone: "live" | "good" | "bad" | "warn" | "plain";
  /** In words, for who does not see the symbol. */
  readonly outcome: string;
  /** What came of it, or what it does. */
  readonly text: string;
  readonly began: string;
  readonly took: string;
  readonly cost: string;
}

/** `did`: what it did last, where it runs. */
export function stepRow(step: StepJson, did: LoggedJson | undefined, now: number): StepRow {
  const { started, ended, running } = step;
  const began = Date.parse(started.at ?? "");
  const failure = ended?.["failure"];
  const failed = typeof failure === "string" ? failure : null;
  const cost = ended?.["cost_usd"];
  const duration = ended?.["duration_ms"];
  const mark = markOf(step, failed);
  const kind = typeof started["kind"] === "string" ? started["kind"] : "";
  const lines = running && did !== undefined ? toldLines(did) : step.after.flatMap(toldLines);
  return {
    number: step.step,
    agent: printable(agentOf(started) ?? ""),
    state: printable(typeof started["state"] === "string" ? started["state"] : ""),
    ...mark,
    text: lines.length === 0 ? (running ? `runs (${kind})` : mark.outcome) : textOf(lines),
    began: localTime(began),
    took:
      typeof duration === "number" ? formatDuration(duration) : running ? elapsed(began, now) : "",
    cost: typeof cost === "number" && cost > 0 ? formatUsd(toMicroUsd(cost)) : "",
  };
}

function markOf(
  { running, ended, after }: StepJson,
  failed: string | null,
): Pick<StepRow, "symbol" | "tone" | "outcome"> {
  if (running) return { symbol: "●", tone: "live", outcome: "running" };
  if (ended === null) return { symbol: "✕", tone: "bad", outcome: "was cut off" };
  const types = new Set(after.map(({ type }) => type));
  if (types.has("agent.failed")) return { symbol: "✕", tone: "bad", outcome: "the agent failed" };
  if (failed !== null) return failureMark(failed);
  if (types.has("agent.reminded")) return { symbol: "!", tone: "warn", outcome: "was reminded" };
  if (types.has("agent.sent-back")) return { symbol: "!", tone: "warn", outcome: "was sent back" };
  if (types.has("agent.asked")) return { symbol: "?", tone: "warn", outcome: "asked a question" };
  return { symbol: "✓", tone: "good", outcome: "done" };
}

/** A usage limit, an outage and an interruption end an attempt, and are no failure of its work. */
function failureMark(failure: string): Pick<StepRow, "symbol" | "tone" | "outcome"> {
  switch (failure) {
    case "limit":
      return { symbol: "◔", tone: "warn", outcome: "usage limit reached" };
    case "outage":
      return { symbol: "◔", tone: "warn", outcome: "service unavailable" };
    case "cancelled":
      return { symbol: "■", tone: "plain", outcome: "interrupted" };
    default:
      return { symbol: "✕", tone: "bad", outcome: `failed (${failure})` };
  }
}

function textOf(lines: readonly { readonly text: string; readonly tone: Tone }[]): string {
  // What went wrong is worth more than where it led.
  const first = lines.find(({ tone }) => tone === "error" || tone === "warning") ?? lines[0];
  return first?.text ?? "";
}
