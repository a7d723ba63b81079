import { isJsonObject, type JsonObject } from "../core/json-object.ts";
import { type MicroUsd, toMicroUsd, toUsd } from "../core/money.ts";

/**
 * How a value is written as JSON, and read again: `read` of what `write` made
 * equals the value, and throws an {@link UnreadableJson} for anything else.
 */
export interface Codec<T> {
  readonly write: (value: T) => unknown;
  readonly read: (json: unknown) => T;
}

/** JSON that is not what a codec has written. */
export class UnreadableJson extends Error {
  override readonly name = "UnreadableJson";
}

/** The fields of an object: the name of each in JSON, and how its value is written. */
export type Fields<T> = {
  readonly [K in keyof T]-?: readonly [name: string, codec: Codec<T[K]>];
};

export interface ObjectCodec<T> extends Codec<T> {
  readonly write: (value: T) => JsonObject;
}

/** An object of these fields, in their order. Fields that are not known are passed over. */
export function object<T extends object>(fields: Fields<T>): ObjectCodec<T> {
  const keys = Object.keys(fields) as (keyof T)[];
  const entries = keys.map((key) => ({ key, name: fields[key][0], codec: fields[key][1] }));
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

export function list<T>(of: Codec<T>): Codec<readonly T[]> {
  return {
    write: (values) => values.map(of.write),
    read: (json) => {
      if (!Array.isArray(json)) throw new UnreadableJson();
      return json.map(of.read);
    },
  };
}

/** An object with any keys, each a text. */
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

/** Null for a time that no calendar holds: an odd clock must not break the log. */
export function isoOf(ms: number): string | null {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}
