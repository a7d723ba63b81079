import type * as z from "zod/mini";
import { printDuration } from "../core/duration.ts";
import { toUsd } from "../core/money.ts";
import type { Settings } from "./switches.ts";

/** One setting: what it is called, what it may be, and what it is when nobody says anything. */
export interface Option<Field extends keyof Settings = keyof Settings> {
  /** In `[raymond]` of the configuration file. */
  readonly key: string;
  readonly field: Field;
  /** Reads the value as TOML has it; made when there is one. */
  readonly schema: () => z.ZodMiniType<Settings[Field]>;
  /** What it takes, for messages: `a number of dollars above 0, or "none"`. */
  readonly expects: string;
  readonly default: Settings[Field];
  /** What a number of it counts, where it is not written so. */
  readonly unit?: "milliseconds" | "micro-dollars";
  /** The word for null. */
  readonly nothing?: string;
  /** One sentence for the template and the docs. */
  readonly help: string;
  /** Of the closed list of variables (docs/configuration.md, "The environment"). */
  readonly variable?: string;
  /** In a variable or a flag, digits mean a number. */
  readonly numeric?: true;
  /** In a flag its items are separated by commas or blanks. */
  readonly list?: true;
  /** As a flag, which is called like its key ({@link flagName}). */
  readonly flag: {
    /** What stands for its value in the help; without it is a switch, on by the flag and off by its `--no-` form. */
    readonly value?: string;
    /** The same help in few words. */
    readonly help: string;
    /** How the default is told, where not as it is written in TOML. */
    readonly standard?: string;
  };
}

/** `max-wait`: the flag of a setting without its dashes. */
export function flagName({ key }: Pick<Option, "key">): string {
  return key.replaceAll("_", "-");
}

/** The default as the help of a flag tells it; undefined where nothing is a default. */
export function standardOf(option: Option): string | undefined {
  const { flag, default: standard } = option;
  if (flag.standard !== undefined) return flag.standard;
  if (standard === true) return "on";
  if (standard === false || standard === null) return undefined;
  if (Array.isArray(standard) && standard.length === 0) return undefined;
  return printValue(option, standard).replaceAll('"', "");
}

/** A value as the file takes it. */
export function printValue({ unit, nothing }: Option, value: Settings[keyof Settings]): string {
  if (value === null) return JSON.stringify(nothing);
  if (typeof value !== "number" || unit === undefined) return JSON.stringify(value);
  if (unit === "micro-dollars") return String(toUsd(value));
  return value === 0 ? "0" : JSON.stringify(printDuration(value));
}

/** A value that was read; not ok where it is not what the option takes. */
export type Read<Value> = { readonly ok: true; readonly value: Value } | { readonly ok: false };

/** Reads a value as TOML has it. */
export function readValue<Field extends keyof Settings>(
  option: Option<Field>,
  value: unknown,
): Read<Settings[Field]> {
  const parsed = option.schema().safeParse(value);
  return parsed.success ? { ok: true, value: parsed.data } : { ok: false };
}

/** Reads a value as a variable or a flag has it: text. */
export function readText<Field extends keyof Settings>(
  option: Option<Field>,
  text: string,
): Read<Settings[Field]> {
  const digits = option.numeric === true && /^(?:\d+(?:\.\d+)?|\.\d+)$/.test(text);
  return readValue(option, digits ? Number(text) : text);
}
