import { decodeEvent } from "../../observers/event-json.ts";
import { formatEvent } from "../../observers/format-event.ts";
import { isShown, type Line } from "../../observers/line.ts";
import type { LoggedJson } from "../../runs/json/shapes.ts";

/** What was told, in the words of the terminal; what this page does not understand says nothing. */
export function toldLines(logged: LoggedJson): readonly Line[] {
  const event = decodeEvent(logged);
  return event === null ? [] : formatEvent(event).filter((line) => isShown(line, "verbose"));
}
