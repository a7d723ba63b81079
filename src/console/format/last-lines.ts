import type { LoggedStep } from "../../log/logged-steps.ts";
import type { Event } from "../../machine/event.ts";
import { isShown } from "../line.ts";
import { formatEvent } from "./format-event.ts";

/** The last console lines of a step, with the output of a script. */
export function lastLinesOf({ activity: did, ended, after }: LoggedStep): readonly string[] {
  const events = [...did, ...(ended === null ? [] : [ended]), ...after].map(({ event }) => event);
  return events.slice(-MOST_EVENTS).flatMap(linesOf).slice(-MOST_LINES);
}

const MOST_EVENTS = 50;
const MOST_LINES = 8;

function linesOf(event: Event): readonly string[] {
  // The sentence before these lines already reports them.
  if (REPORTED.has(event.type)) return [];
  const detail = event.type === "step.output" ? "verbose" : "normal";
  return formatEvent(event)
    .filter((shown) => isShown(shown, detail) && shown.text.trim() !== "")
    .map(({ text }) => text);
}

const REPORTED: ReadonlySet<Event["type"]> = new Set<Event["type"]>([
  "agent.failed",
  "agent.asked",
  "agent.waiting",
]);
