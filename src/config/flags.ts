import type { MicroUsd } from "../language/basics/money.ts";
import { BadFlagError } from "./errors.ts";
import { flagName, mergedEntries, type Option, readText, readValue } from "./option.ts";
import { OPTIONS } from "./settings.ts";
import type { Settings } from "./switches.ts";

/** Parses the flag of a setting. Throws {@link BadFlagError}. */
export function readFlag(option: Option, text: string): Settings[keyof Settings] {
  const flag = `--${flagName(option)}`;
  const items = option.list === true ? parseToolList(flag, text) : text;
  if (items?.length === 0 && option.mayBeEmpty !== true) {
    throw new BadFlagError(flag, text, option.expects.replaceAll('"', ""));
  }
  const problem = option.problem?.(items) ?? null;
  if (problem !== null) {
    throw new BadFlagError(flag, text, `items such as command(npm test *), but ${problem}`);
  }
  const read = readText(option, items ?? "default");
  if (read.ok) return read.value;
  // Flags have no TOML quotes, and the help explains 0.
  const [expects = ""] = option.expects.replaceAll('"', "").split("; ");
  throw new BadFlagError(flag, text, expects);
}

/** Parses the repeated flag of a table that merges. Throws {@link BadFlagError}. */
export function readEntries(option: Option, texts: readonly string[]): Settings[keyof Settings] {
  const tables = texts.map((text) => readFlag(option, text));
  return tables.reduce((all, one) => mergedEntries(all, one) as typeof one);
}

/** Parses the flags of a table of `NAME=VALUE`. Throws {@link BadFlagError}. */
export function readPairs(option: Option, texts: readonly string[]): Settings[keyof Settings] {
  const pairs = texts.map((text) => {
    const at = text.indexOf("=");
    if (at > 0) return [text.slice(0, at), text.slice(at + 1)] as const;
    throw new BadFlagError(`--${flagName(option)}`, text, "NAME=VALUE");
  });
  const read = readValue(option, Object.fromEntries(pairs));
  if (read.ok) return read.value;
  const names = pairs.map(([name]) => name).join(", ");
  throw new BadFlagError(
    `--${flagName(option)}`,
    names,
    "the name of a variable that does not start with RAYMOND_",
  );
}

/** A duration in ms. 0 may mean "never". Throws {@link BadFlagError}. */
export function parseDurationFlag(flag: string, value: string): number {
  const read = readText(OPTIONS.timeoutMs, value);
  if (!read.ok) {
    throw new BadFlagError(
      flag,
      value,
      "a duration such as 90s, 20m or 2h, or a number of seconds",
    );
  }
  return read.value;
}

/** `--add-budget`: dollars above 0, as micro-dollars. Throws {@link BadFlagError}. */
export function parseDollars(flag: string, value: string): MicroUsd {
  const read = readText(OPTIONS.budgetMicroUsd, value);
  if (!read.ok || read.value === null) {
    throw new BadFlagError(flag, value, "a number of dollars above 0");
  }
  return read.value;
}

/** `--keep`: a count, 0 included. Throws {@link BadFlagError}. */
export function parseCount(flag: string, value: string): number {
  if (!/^\d{1,9}$/.test(value)) throw new BadFlagError(flag, value, "a whole number, 0 or more");
  return Number(value);
}

/**
 * A list of tools, separated by commas or blanks outside parentheses: `Read,Bash(git commit *)` has
 * two items. Empty is the empty list, `default` is null. Throws {@link BadFlagError}.
 */
export function parseToolList(flag: string, value: string): readonly string[] | null {
  if (value.trim() === "default") return null;
  const tools: string[] = [];
  let tool = "";
  let depth = 0;
  for (const character of value) {
    if (character === "(") depth += 1;
    if (character === ")") depth -= 1;
    if (depth < 0) break;
    if (depth === 0 && /[\s,]/.test(character)) {
      if (tool !== "") tools.push(tool);
      tool = "";
    } else {
      tool += character;
    }
  }
  if (depth !== 0) {
    throw new BadFlagError(
      flag,
      value,
      "tools separated by commas, such as Read,Bash(git *), with every parenthesis closed",
    );
  }
  return tool === "" ? tools : [...tools, tool];
}
