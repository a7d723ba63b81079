import { dataOf, partsOf, transitionOf, valueIn } from "../../language/protocol/parts.ts";
import {
  isStart,
  isWorkflowTransition,
  TAGS,
  type Transition,
} from "../../language/protocol/transition.ts";
import { dictionary } from "./dictionary.ts";
import { list, orNull, record, unless, via } from "./shape.ts";
import { payload, text, textOrNull, word } from "./values.ts";

const row = record({
  tag: word(...TAGS),
  /** The content and the attributes of the tag itself, by field. */
  values: dictionary(payload),
  /** Attributes for the agent that it starts; null: it starts none. */
  data: orNull(dictionary(text)),
  entry: unless("entry", null, record({ workflow: textOrNull, state: text })),
  /** The place of the new agent's worktree. */
  place: unless(
    "place",
    null,
    record({
      ...{ repository: text, parent: text, base: text, inside: text, origin: text },
      ...{ copy: list(text), setup: textOrNull },
    }),
  ),
  /** The schema file for the result that returns from a call. */
  schema: unless("schema", null, text),
});

/** An accepted transition that waits for its gate (docs/state-file.md, "Agents"). */
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
    entry: isWorkflowTransition(of) ? (of.entry ?? null) : null,
    place: isStart(of) ? (of.place ?? null) : null,
    schema: "returnTo" in of ? (of.schema ?? null) : null,
  }),
  ({ tag, values, data, entry, place, schema }): Transition => {
    const plain = transitionOf(tag, values, data ?? {});
    const placed = place !== null && isStart(plain) ? { ...plain, place } : plain;
    const written = schema !== null && "returnTo" in placed ? { ...placed, schema } : placed;
    return entry !== null && isWorkflowTransition(written) ? { ...written, entry } : written;
  },
);
