import type { Tone } from "../../../console/line.ts";
import { localTime } from "../../../console/local-time.ts";
import type { LoggedJson, StepJson } from "../../../inspect/json/shapes.ts";
import { formatDuration } from "../../../language/basics/duration.ts";
import { formatUsd, toMicroUsd } from "../../../language/basics/money.ts";
import { printable } from "../../../log/printable.ts";
import { elapsed } from "./elapsed.ts";
import { eventLines } from "./event-lines.ts";
import { agentOf } from "./step-book.ts";

/** A step in the list. All texts are safe to display. */
export interface StepRow {
  readonly number: number;
  readonly agent: string;
  readonly state: string;
  readonly symbol: string;
  readonly tone: "live" | "good" | "bad" | "warn" | "plain";
  /** The meaning of the symbol, for screen readers. */
  readonly outcome: string;
  /** The result, or the current activity. */
  readonly text: string;
  readonly startedAt: string;
  readonly took: string;
  readonly cost: string;
}

/** `did`: the last event of a running step. */
export function stepRow(step: StepJson, did: LoggedJson | undefined, now: number): StepRow {
  const { started, ended, running } = step;
  const startedAt = Date.parse(started.at ?? "");
  const failure = ended?.["failure"];
  const failed = typeof failure === "string" ? failure : null;
  const cost = ended?.["cost_usd"];
  const duration = ended?.["duration_ms"];
  const mark = markOf(step, failed);
  const kind = typeof started["kind"] === "string" ? started["kind"] : "";
  const lines = running && did !== undefined ? eventLines(did) : step.after.flatMap(eventLines);
  return {
    number: step.step,
    agent: printable(agentOf(started) ?? ""),
    state: printable(typeof started["state"] === "string" ? started["state"] : ""),
    ...mark,
    text: lines.length === 0 ? (running ? `running (${kind})` : mark.outcome) : textOf(lines),
    startedAt: localTime(startedAt),
    took:
      typeof duration === "number"
        ? formatDuration(duration)
        : running
          ? elapsed(startedAt, now)
          : "",
    cost: typeof cost === "number" && cost > 0 ? formatUsd(toMicroUsd(cost)) : "",
  };
}

function markOf(
  { running, ended, after }: StepJson,
  failed: string | null,
): Pick<StepRow, "symbol" | "tone" | "outcome"> {
  if (running) return { symbol: "●", tone: "live", outcome: "running" };
  if (ended === null) return { symbol: "✕", tone: "bad", outcome: "incomplete" };
  const types = new Set(after.map(({ type }) => type));
  if (types.has("agent.failed")) return { symbol: "✕", tone: "bad", outcome: "the agent failed" };
  if (failed !== null) return failureMark(failed);
  if (types.has("agent.reminded")) return { symbol: "!", tone: "warn", outcome: "reminded" };
  if (types.has("agent.sent-back"))
    return { symbol: "!", tone: "warn", outcome: "returned by a gate" };
  if (types.has("agent.asked")) return { symbol: "?", tone: "warn", outcome: "asked a question" };
  return { symbol: "✓", tone: "good", outcome: "done" };
}

/** Usage limits, outages and interruptions end an attempt, but are not failures of its work. */
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
  // Errors and warnings are more important than the transition.
  const first = lines.find(({ tone }) => tone === "error" || tone === "warning") ?? lines[0];
  return first?.text ?? "";
}
