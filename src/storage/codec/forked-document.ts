import * as z from "zod/mini";
import { parseBoundedJson } from "../../language/basics/json-object.ts";
import { FAILURE_CLASSES } from "../../machine/model/failure.ts";
import type { ForkedWorker, WorkerEnd } from "../../machine/model/forked.ts";
import { dictionary } from "./dictionary.ts";
import { INLINE_BYTES, type PayloadReference, type StoreText } from "./payload.ts";
import {
  CONTRADICTION,
  type CoreOf,
  inEnglish,
  type JsonOf,
  once,
  orNull,
  record,
  type Shape,
  unless,
  variants,
  via,
} from "./shape.ts";
import { literal, payload, text, word } from "./values.ts";

const workerEnd = variants("how", {
  well: record({ how: literal("well"), result: payload }),
  badly: record({
    how: literal("badly"),
    class: word(...FAILURE_CLASSES),
    message: text,
    state: text,
  }),
});

export const end = via(
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
  agent: text,
  state: text,
  attributes: dictionary(text),
  end: unless("end", null, end),
  /** The branch of its worktree; null: it changed nothing. */
  branch: unless("branch", undefined, orNull(text)),
});

type ForkedJson = JsonOf<typeof forked>;

/** A sequence of ended workers, as the JSON of their list: a long text that does not change any more. */
export interface Block {
  readonly ended: string | PayloadReference;
}

/**
 * The forked workers of an agent. An agent that forks for hours without a join has thousands of ended ones, which do not
 * change any more: they are stored in payload files, which are written once.
 */
export const forkedList: Shape<readonly ForkedWorker[], readonly (ForkedJson | Block)[]> = {
  schema: once(() =>
    z.array(
      z.union([z.strictObject({ ended: payload.schema().check(isBlock()) }), forked.schema()]),
    ),
  ),
  encode: (all, store) => {
    const items: (ForkedJson | Block)[] = [];
    for (let at = 0; at < all.length; ) {
      const { length, text: block } = sequenceAt(all, at);
      if (block !== null) items.push({ ended: store(block) });
      else for (const each of all.slice(at, at + length)) items.push(encodeEach(each, store));
      at += length;
    }
    return items;
  },
  decode: (items, open) =>
    items.flatMap((item) => {
      if (!("ended" in item)) return [forked.decode(item, open)];
      const inside = parseBlock(payload.decode(item.ended, open));
      if (typeof inside === "string") throw new BlockFault(item.ended, inside);
      return inside.map((each) => forked.decode(each, open));
    }),
};

/** A block whose text is no list of ended workers. The codec does not know the state file: `decodeRun` names it. */
export class BlockFault extends Error {
  override readonly name = "BlockFault";

  constructor(ended: Block["ended"], reason: string) {
    const place = typeof ended === "string" ? "a list of ended workers" : ended.file;
    super(`references ${place}, which ${reason}`);
  }
}

/** Rejects a block in the state file itself whose text is no list of ended workers. */
const isBlock = once(() =>
  z.check<Block["ended"]>(({ value: input, issues }) => {
    if (typeof input !== "string") return;
    const message = parseBlock(input);
    if (typeof message !== "string") return;
    // Without `continue`, the union reports only that nothing matches.
    issues.push({ code: "custom", message, input, params: CONTRADICTION, continue: true });
  }),
);

const blockSchema = once(() => z.array(forked.schema()));

/** The workers of a block, or what is wrong with its text, to complete "it …". */
function parseBlock(text: string): readonly ForkedJson[] | string {
  let json: unknown;
  try {
    json = parseBoundedJson(text);
  } catch (error) {
    return `is not JSON (${error instanceof Error ? error.message : "unknown error"})`;
  }
  const parsed = blockSchema().safeParse(json, inEnglish());
  if (!parsed.success) {
    const reason = parsed.error.issues[0]?.message ?? "unknown error";
    return `is not a list of forked workers (${reason})`;
  }
  // Blocks are written with their texts inside.
  const nested = parsed.data.some(({ end: ended }) => {
    return ended?.how === "well" && typeof ended.result !== "string";
  });
  return nested ? "references another text" : parsed.data;
}

/** Encoded workers: nearly all are unchanged from save to save. */
const encoded = new WeakMap<ForkedWorker, ForkedJson>();

function encodeEach(each: ForkedWorker, store: StoreText): ForkedJson {
  const before = encoded.get(each);
  if (before !== undefined) return before;
  const json = forked.encode(each, store);
  // A text that may be long must be registered again by each save.
  const isShort = each.end?.ok !== true || each.end.result.length <= INLINE_BYTES / 4;
  if (isShort) encoded.set(each, json);
  return json;
}

/** A sequence of workers that are stored together. `text`: its JSON if it is long. */
interface Sequence {
  readonly length: number;
  readonly text: string | null;
}

/** Long sequences by their first worker: they do not change from save to save. */
const longSequences = new WeakMap<
  ForkedWorker,
  Sequence & { readonly last: ForkedWorker | undefined }
>();
/** The JSON of ended workers. */
const written = new WeakMap<ForkedWorker, string>();

function sequenceAt(all: readonly ForkedWorker[], at: number): Sequence {
  const first = all[at] as ForkedWorker;
  const before = longSequences.get(first);
  if (before !== undefined && all[at + before.length - 1] === before.last) return before;
  const texts: string[] = [];
  let bytes = 0;
  // By index: a slice would copy the rest of the list for each live worker.
  for (let next = at; next < all.length; next += 1) {
    const each = all[next] as ForkedWorker;
    if (each.end === null) break;
    const json = written.get(each) ?? JSON.stringify(forked.encode(each, (inside) => inside));
    written.set(each, json);
    texts.push(json);
    bytes += json.length;
    if (bytes <= INLINE_BYTES) continue;
    const long = { length: texts.length, text: `[${texts.join(",")}]`, last: each };
    longSequences.set(first, long);
    return long;
  }
  return { length: Math.max(1, texts.length), text: null };
}
