import { isJsonObject, type JsonObject } from "../../language/basics/json-object.ts";
import { type MicroUsd, toMicroUsd, toUsd } from "../../language/basics/money.ts";

/**
 * The codec of a value in JSON: `read` of the result of `write` equals the value, and throws {@link UnreadableJson} for
 * anything else. Hand-written and not zod: the dashboard page includes these codecs, and a log of a newer raymond may
 * have additional fields.
 */
export interface Codec<T> {
  readonly write: (value: T) => unknown;
  readonly read: (json: unknown) => T;
}

export class UnreadableJson extends Error {
  override readonly name = "UnreadableJson";
}

type Named<T> = readonly [name: string, codec: Codec<T>];

/** The fields of an object. A pair has another name in JSON. */
export type Fields<T> = { readonly [K in keyof T]-?: Codec<T[K]> | Named<T[K]> };

export interface ObjectCodec<T> extends Codec<T> {
  readonly write: (value: T) => JsonObject;
}

/** An object with these fields, in this order. Ignores unknown fields. */
export function object<T extends object>(fields: Fields<T>): ObjectCodec<T> {
  const keys = Object.keys(fields) as (keyof T & string)[];
  const entries = keys.map((key) => {
    const field = fields[key];
    const [name, codec] = isNamed(field) ? field : [key, field];
    return { key, name, codec };
  });
  return {
    write: (value) =>
      Object.fromEntries(entries.map(({ key, name, codec }) => [name, codec.write(value[key])])),
    read: (json) => {
      const from = readObject(json);
      return Object.fromEntries(
        entries.map(({ key, name, codec }) => [key, codec.read(from[name])]),
      ) as T;
    },
  };
}

function isNamed<T>(field: Codec<T> | Named<T>): field is Named<T> {
  return Array.isArray(field);
}

export function readObject(json: unknown): JsonObject {
  if (!isJsonObject(json)) throw new UnreadableJson();
  return json;
}

export const text: Codec<string> = plain((json) => typeof json === "string");
export const number: Codec<number> = plain((json) => typeof json === "number");
export const flag: Codec<boolean> = plain((json) => typeof json === "boolean");

/** One of these words. */
export function word<W extends string>(...words: readonly W[]): Codec<W> {
  return plain((json) => words.some((each) => each === json));
}

export function literal<const V extends string | number | boolean>(value: V): Codec<V> {
  return plain((json) => json === value);
}

function plain<T>(is: (json: unknown) => boolean): Codec<T> {
  return {
    write: (value) => value,
    read: (json) => {
      if (!is(json)) throw new UnreadableJson();
      return json as T;
    },
  };
}

export function nullable<T>(of: Codec<T>): Codec<T | null> {
  return {
    write: (value) => (value === null ? null : of.write(value)),
    read: (json) => (json === null ? null : of.read(json)),
  };
}

/** A field that may be absent. */
export function optional<T>(of: Codec<T>): Codec<T | undefined> {
  return {
    write: (value) => (value === undefined ? undefined : of.write(value)),
    read: (json) => (json === undefined ? undefined : of.read(json)),
  };
}

export function list<T>(of: Codec<T>): Codec<readonly T[]> {
  return {
    write: (values) => values.map(of.write),
    read: (json) => {
      if (!Array.isArray(json)) throw new UnreadableJson();
      return json.map(of.read);
    },
  };
}

/** A list that older logs do not have. */
export function orEmpty<T>(of: Codec<T>): Codec<readonly T[]> {
  const { write, read } = list(of);
  return { write, read: (json) => (json === undefined ? [] : read(json)) };
}

/** An object with any keys and text values. */
export const texts: Codec<Readonly<Record<string, string>>> = {
  write: (value) => value,
  read: (json) => {
    const entries = Object.entries(readObject(json));
    return Object.fromEntries(entries.map(([key, value]) => [key, text.read(value)]));
  },
};

/** Micro-dollars as dollars. */
export const usd: Codec<MicroUsd> = {
  write: toUsd,
  read: (json) => toMicroUsd(number.read(json)),
};

/** Epoch ms as ISO 8601. */
export const moment: Codec<number> = {
  write: isoOf,
  read: (json) => {
    const ms = Date.parse(text.read(json));
    if (Number.isNaN(ms)) throw new UnreadableJson();
    return ms;
  },
};

/** Null for a time out of range: a wrong clock must not break the log. */
export function isoOf(ms: number): string | null {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}
