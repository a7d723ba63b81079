import type * as z from "zod/mini";
import { printDuration } from "../language/basics/duration.ts";
import { toUsd } from "../language/basics/money.ts";
import type { Settings } from "./switches.ts";

/** A setting: its names, valid values and default. */
export interface Option<Field extends keyof Settings = keyof Settings> {
  /** In `[raymond]` of the configuration file. */
  readonly key: string;
  readonly field: Field;
  /** Parses the TOML value. Created on demand. */
  readonly schema: () => z.ZodMiniType<Settings[Field]>;
  /** The valid values, for messages: `a number of dollars above 0, or "none"`. */
  readonly expects: string;
  readonly default: Settings[Field];
  /** The internal unit, if it differs from the file's. */
  readonly unit?: "milliseconds" | "micro-dollars";
  /** The word for null. */
  readonly nullWord?: string;
  /** One sentence for the template and the docs. */
  readonly help: string;
  /** Environment variable (docs/configuration.md, "Environment variables"). */
  readonly variable?: string;
  /** Digits in a variable or flag are a number. */
  readonly numeric?: true;
  /** The reason why a value is invalid, as a clause; null: only {@link expects} is known. */
  readonly problem?: (value: unknown) => string | null;
  /** Items of a flag are separated by commas or blanks. */
  readonly list?: true;
  /** Its flag accepts an empty list. Otherwise that is an unset variable of a shell. */
  readonly mayBeEmpty?: true;
  /** A flag gives one `NAME=VALUE`, and may be repeated. */
  readonly pairs?: true;
  /** A table whose entries override those of other sources one by one. A flag gives some, and may be repeated. */
  readonly merges?: true;
  /** Earlier names of one entry of such a table. */
  readonly alias?: { readonly key: string; readonly variable: string; readonly entry: string };
  /** The flag; its name is {@link flagName}. */
  readonly flag: {
    /**
     * Placeholder of its value in the help. Without it the flag is a switch with a `--no-` form.
     */
    readonly value?: string;
    /** A shorter help text. */
    readonly help: string;
    /** The default in the help, if not the TOML notation. */
    readonly standard?: string;
  };
}

/** `max-wait`: the flag of a setting without its dashes. */
export function flagName({ key }: Pick<Option, "key">): string {
  return key.replaceAll("_", "-");
}

/** The default in the help of a flag; undefined for none. */
export function defaultText(option: Option): string | undefined {
  const { flag, default: standard } = option;
  if (flag.standard !== undefined) return flag.standard;
  if (standard === true) return "on";
  if (standard === false || standard === null) return undefined;
  if (typeof standard === "object" && Object.keys(standard).length === 0) return undefined;
  return printValue(option, standard).replaceAll('"', "");
}

export function printValue(
  { unit, nullWord: nothing }: Option,
  value: Settings[keyof Settings],
): string {
  if (value === null) return JSON.stringify(nothing);
  if (typeof value !== "number" || unit === undefined) return JSON.stringify(value);
  if (unit === "micro-dollars") return String(toUsd(value));
  return value === 0 ? "0" : JSON.stringify(printDuration(value));
}

/** The result of parsing; not ok for an invalid value. */
export type Read<Value> = { readonly ok: true; readonly value: Value } | { readonly ok: false };

export function readValue<Field extends keyof Settings>(
  option: Option<Field>,
  value: unknown,
): Read<Settings[Field]> {
  const parsed = option.schema().safeParse(value);
  return parsed.success ? { ok: true, value: parsed.data } : { ok: false };
}

/** The value of a setting that two names of one source give. Only tables (`merges`) have two names. */
export function mergedEntries(first: unknown, second: unknown): unknown {
  if (typeof first !== "object" || typeof second !== "object") return second;
  return { ...first, ...second };
}

/** Parses the text, or the list, of a variable or flag. */
export function readText<Field extends keyof Settings>(
  option: Option<Field>,
  text: string | readonly string[],
): Read<Settings[Field]> {
  if (typeof text !== "string") return readValue(option, text);
  const digits = option.numeric === true && /^(?:\d+(?:\.\d+)?|\.\d+)$/.test(text);
  return readValue(option, digits ? Number(text) : text);
}
