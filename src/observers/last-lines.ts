import type { Event } from "../core/machine/event.ts";
import { formatEvent } from "./format-event.ts";
import { isShown } from "./line.ts";
import type { LoggedStep } from "./logged-steps.ts";

/** The last lines that a console would have shown of a step, with what a script has written: no more than can be read at a glance. */
export function lastLinesOf({ did, ended, after }: LoggedStep): readonly string[] {
  const events = [...did, ...(ended === null ? [] : [ended]), ...after].map(({ event }) => event);
  return events.slice(-MOST_EVENTS).flatMap(linesOf).slice(-MOST_LINES);
}

const MOST_EVENTS = 50;
const MOST_LINES = 8;

function linesOf(event: Event): readonly string[] {
  // Whoever asks for the last lines has been told these by the sentence before them.
  if (TOLD.has(event.type)) return [];
  const detail = event.type === "step.output" ? "verbose" : "normal";
  return formatEvent(event)
    .filter((shown) => isShown(shown, detail) && shown.text.trim() !== "")
    .map(({ text }) => text);
}

const TOLD: ReadonlySet<Event["type"]> = new Set<Event["type"]>([
  "agent.failed",
  "agent.asked",
  "agent.waiting",
]);
