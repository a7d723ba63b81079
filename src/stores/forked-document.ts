import * as z from "zod/mini";
import { FAILURE_CLASSES } from "../core/machine/failure.ts";
import type { Forked, WorkerEnd } from "../core/machine/forked.ts";
import { dictionary } from "./dictionary.ts";
import {
  as,
  type CoreOf,
  type JsonOf,
  once,
  record,
  type Shape,
  same,
  unless,
  variants,
  via,
} from "./shape.ts";
import type { PayloadReference, StoreText } from "./stored-text.ts";
import { INLINE_BYTES } from "./stored-text.ts";
import { payload, text, word } from "./values.ts";

/** How a worker has ended; null: it lives. */
const workerEnd = variants("how", {
  well: record({
    how: as(
      "how",
      same(() => z.literal("well")),
    ),
    result: as("result", payload),
  }),
  badly: record({
    how: as(
      "how",
      same(() => z.literal("badly")),
    ),
    class: as(
      "class",
      word(() => [...FAILURE_CLASSES]),
    ),
    message: as("message", text),
    state: as("state", text),
  }),
});

const end = via(
  workerEnd,
  (of: WorkerEnd): CoreOf<typeof workerEnd> =>
    of.ok ? { how: "well", result: of.result } : { how: "badly", ...of.error },
  (row): WorkerEnd => {
    if (row.how === "well") return { ok: true, result: row.result };
    const { class: kind, message, state } = row;
    return { ok: false, error: { class: kind, message, state } };
  },
);

const forked = record({
  agent: as("agent", text),
  state: as("state", text),
  attributes: as("attributes", dictionary(text)),
  end: unless("end", null, end),
});

type ForkedJson = JsonOf<typeof forked>;

/** Workers that have ended and stand side by side, as the JSON of their list: a text of its own, which stays as it is. */
export interface Block {
  readonly ended: string | PayloadReference;
}

/**
 * The workers that an agent has forked. One that forks for hours and never joins
 * has thousands that have ended, of which nothing changes any more: they go into
 * long texts, which are written once and then only referred to.
 */
export const forkedList: Shape<readonly Forked[], readonly (ForkedJson | Block)[]> = {
  schema: once(() =>
    z.array(z.union([z.strictObject({ ended: payload.schema() }), forked.schema()])),
  ),
  encode: (all, store) => {
    const items: (ForkedJson | Block)[] = [];
    for (let at = 0; at < all.length; ) {
      const { length, text: block } = stretchAt(all, at);
      if (block !== null) items.push({ ended: store(block) });
      else for (const each of all.slice(at, at + length)) items.push(encodeEach(each, store));
      at += length;
    }
    return items;
  },
  decode: (items, open) =>
    items.flatMap((item) => {
      if (!("ended" in item)) return [forked.decode(item, open)];
      const inside = JSON.parse(payload.decode(item.ended, open)) as readonly ForkedJson[];
      return inside.map((each) => forked.decode(each, open));
    }),
};

/** Those that live, as they were encoded: from save to save nearly all of them stay as they are. */
const living = new WeakMap<Forked, ForkedJson>();

/** One that has ended may name a long text, which is done anew at each save. */
function encodeEach(each: Forked, store: StoreText): ForkedJson {
  if (each.end !== null) return forked.encode(each, store);
  const before = living.get(each) ?? forked.encode(each, store);
  living.set(each, before);
  return before;
}

/** What stands together from here on, and its text where that is long. */
interface Stretch {
  readonly length: number;
  readonly text: string | null;
}

/** Stretches that are long, by the first of them: from save to save they stay as they are. */
const known = new WeakMap<Forked, Stretch & { readonly last: Forked | undefined }>();
/** The JSON of those that have ended. */
const written = new WeakMap<Forked, string>();

function stretchAt(all: readonly Forked[], at: number): Stretch {
  const first = all[at] as Forked;
  const before = known.get(first);
  if (before !== undefined && all[at + before.length - 1] === before.last) return before;
  const texts: string[] = [];
  let bytes = 0;
  // By its number: a copy from here on would be one for each that lives.
  for (let next = at; next < all.length; next += 1) {
    const each = all[next] as Forked;
    if (each.end === null) break;
    const json = written.get(each) ?? JSON.stringify(forked.encode(each, (inside) => inside));
    written.set(each, json);
    texts.push(json);
    bytes += json.length;
    if (bytes <= INLINE_BYTES) continue;
    const long = { length: texts.length, text: `[${texts.join(",")}]`, last: each };
    known.set(first, long);
    return long;
  }
  return { length: Math.max(1, texts.length), text: null };
}
