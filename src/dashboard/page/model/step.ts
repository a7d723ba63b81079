import { formatEvent } from "../../../console/format/format-event.ts";
import { isShown, type Line } from "../../../console/line.ts";
import type { LoggedJson, StepJson } from "../../../inspect/json/shapes.ts";
import { formatDuration } from "../../../language/basics/duration.ts";
import { decodeEvent } from "../../../log/codec/event-json.ts";
import { elapsed } from "./agents.ts";
import type { Badge } from "./badge.ts";
import { formatCost } from "./cost.ts";

export function stepBadge({ running, ended, after }: StepJson): Badge {
  if (running) return { symbol: "●", tone: "live", words: "running" };
  if (ended === null) return { symbol: "✕", tone: "bad", words: "incomplete" };
  const types = new Set(after.map(({ type }) => type));
  const failure = stringIn(ended, "failure");
  if (types.has("agent.failed")) return { symbol: "✕", tone: "bad", words: "the agent failed" };
  if (failure !== "")
    return INTERRUPTIONS.get(failure) ?? { symbol: "✕", tone: "bad", words: `failed (${failure})` };
  if (types.has("agent.reminded")) return { symbol: "!", tone: "warn", words: "reminded" };
  if (types.has("agent.sent-back"))
    return { symbol: "!", tone: "warn", words: "returned by a gate" };
  if (types.has("agent.asked")) return { symbol: "?", tone: "warn", words: "asked a question" };
  return { symbol: "✓", tone: "good", words: "done" };
}

/** These end an attempt, but are not failures of its work. */
const INTERRUPTIONS: ReadonlyMap<string, Badge> = new Map([
  ["limit", { symbol: "◔", tone: "warn", words: "usage limit reached" }],
  ["outage", { symbol: "◔", tone: "warn", words: "service unavailable" }],
  ["cancelled", { symbol: "■", tone: "plain", words: "interrupted" }],
]);

/** The result or the current activity of a step. `last`: the last event of a running step. */
export function stepText(step: StepJson, last?: LoggedJson): string {
  const lines = step.running && last !== undefined ? eventLines(last) : afterLines(step);
  // Errors and warnings are more important than the transition.
  const first = lines.find(({ tone }) => tone === "error" || tone === "warning") ?? lines[0];
  if (first !== undefined) return first.text;
  return step.running ? `running (${stringIn(step.started, "kind")})` : stepBadge(step).words;
}

export function stepDuration({ started, ended, running }: StepJson, now: number): string {
  const duration = ended?.["duration_ms"];
  if (typeof duration === "number") return formatDuration(duration);
  return running ? elapsed(Date.parse(started.at ?? ""), now) : "";
}

/** The coding agent of a step; empty for the default agent of the run. */
export function stepAgent({ started }: StepJson): string {
  const backend = stringIn(started, "backend");
  const other = stringIn(started, "instead_of");
  if (backend === "") return "";
  return other === "" ? `on ${backend}` : `on ${backend} instead of ${other}`;
}

export function stepCost({ ended }: StepJson): string {
  const cost = ended?.["cost_usd"];
  return formatCost(typeof cost === "number" ? cost : null);
}

/** The events after the end of a step, as the terminal shows them. */
export function afterLines({ after }: StepJson): readonly Line[] {
  return after.flatMap(eventLines);
}

/** Empty for events that this version does not support. */
function eventLines(logged: LoggedJson): readonly Line[] {
  const event = decodeEvent(logged);
  return event === null ? [] : formatEvent(event).filter((line) => isShown(line, "verbose"));
}

/** A text of an event; empty if it is missing. */
export function stringIn(event: LoggedJson, key: string): string {
  const value = event[key];
  return typeof value === "string" ? value : "";
}
