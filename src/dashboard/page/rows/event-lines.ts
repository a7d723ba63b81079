import { formatEvent } from "../../../console/format/format-event.ts";
import { isShown, type Line } from "../../../console/line.ts";
import type { LoggedJson } from "../../../inspect/json/shapes.ts";
import { decodeEvent } from "../../../log/codec/event-json.ts";

/** An event as shown in the terminal. Empty for events that this version does not support. */
export function eventLines(logged: LoggedJson): readonly Line[] {
  const event = decodeEvent(logged);
  return event === null ? [] : formatEvent(event).filter((line) => isShown(line, "verbose"));
}
