import { dataOf, partsOf, transitionOf, valueIn } from "../core/protocol/parts.ts";
import { isCrossing, TAGS, type Transition } from "../core/protocol/transition.ts";
import { dictionary } from "./dictionary.ts";
import { as, orNull, record, unless, via } from "./shape.ts";
import { payload, text, textOrNull, word } from "./values.ts";

const row = record({
  tag: as(
    "tag",
    word(() => [...TAGS]),
  ),
  /** The content and the attributes of the tag's own, by the names of the fields. */
  values: as("values", dictionary(payload)),
  /** The data of the agent that it starts; null: it starts none. */
  data: as("data", orNull(dictionary(text))),
  /** Where a path leads; left out: it has none. */
  entry: unless(
    "entry",
    null,
    record({ workflow: as("workflow", textOrNull), state: as("state", text) }),
  ),
});

/** A transition that was judged, and waits to be applied (docs/state-file.md, "An agent"). */
export const transition = via(
  row,
  (of: Transition) => ({
    tag: of.tag,
    values: Object.fromEntries(
      partsOf(of.tag).flatMap((part) => {
        const value = valueIn(of, part);
        return value === undefined ? [] : [[part.field, value] as const];
      }),
    ),
    data: dataOf(of),
    entry: isCrossing(of) ? (of.entry ?? null) : null,
  }),
  ({ tag, values, data, entry }): Transition => {
    const written = transitionOf(tag, values, data ?? {});
    return entry !== null && isCrossing(written) ? { ...written, entry } : written;
  },
);
