import * as z from "zod/mini";
import { type MicroUsd, toMicroUsd, toUsd } from "../../language/basics/money.ts";
import { parsePermission } from "../../language/permissions/permission.ts";
import type { OpenText, PayloadReference, StoreText } from "./payload.ts";
import { once, orNull, type Shape, same } from "./shape.ts";

/* The simple values of a state file (docs/state-file.md, "Fields"). */
export const text = same(() => z.string());
/** An item of `allow` or `deny`. */
export const permission = same(() =>
  z.string().check(z.refine((item) => parsePermission(item).ok, "must be a permission")),
);
export const textOrNull = orNull(text);
export const flag = same(() => z.boolean());
export const count = same(() => z.int().check(z.minimum(0)));
/** Price of one token, micro-dollars. */
export const price = same(() => z.number().check(z.minimum(0), z.maximum(1e9)));
/** A time that the core has as text: ISO 8601 in UTC. */
export const date = same(() => z.iso.datetime());

/** Micro-dollars as dollars. Beyond these limits micro-dollars are not exact. */
export const usd = {
  schema: once(() => z.number().check(z.minimum(-1e9), z.maximum(1e9))),
  encode: (microUsd: MicroUsd) => toUsd(finite(microUsd)),
  decode: (dollars: number) => toMicroUsd(dollars),
};

/** Milliseconds as seconds. Beyond these limits milliseconds are not exact. */
export const seconds = {
  schema: once(() => z.number().check(z.minimum(-1e12), z.maximum(1e12))),
  encode: (ms: number) => finite(ms) / 1000,
  decode: (each: number) => Math.round(each * 1000),
};

/** Epoch ms as ISO 8601 in UTC. Clients may report any number: times after the year 9999 become its end. */
export const moment = {
  schema: date.schema,
  encode: (ms: number) =>
    new Date(Math.min(Math.max(Math.round(finite(ms)), 0), LAST_MOMENT)).toISOString(),
  decode: (iso: string) => Date.parse(iso),
};

/** The last time with a year of four digits. */
const LAST_MOMENT = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** A text of a model or a script: itself, or a reference. */
export const payload: Shape<string, string | PayloadReference> = {
  schema: once(() =>
    z.union(
      [
        z.string(),
        z.strictObject({
          file: z
            .string()
            .check(z.regex(/^payloads\/[0-9a-f]{64}\.txt$/, "must be like payloads/<sha256>.txt")),
          bytes: count.schema(),
        }),
      ],
      { error: "must be a text, or { file, bytes }" },
    ),
  ),
  encode: (value: string, store: StoreText) => store(value),
  decode: (json: string | PayloadReference, open: OpenText) =>
    typeof json === "string" ? json : open(json),
};

export function word<const Word extends string>(...words: readonly Word[]): Shape<Word, Word> {
  return same(() => z.enum(words) as z.ZodMiniType<Word>);
}

export function literal<const Value extends string | number | true>(
  value: Value,
): Shape<Value, Value> {
  return same(() => z.literal(value));
}

/** Throws for numbers that JSON would turn into `null`. */
function finite(value: number): number {
  if (!Number.isFinite(value)) throw new Error(`${String(value)} cannot be saved as a number`);
  return value;
}
