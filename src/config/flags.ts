import type { MicroUsd } from "../core/money.ts";
import type { Effort } from "../core/workflow/state-file.ts";
import { BadFlagError } from "./errors.ts";
import { readText } from "./option.ts";
import { OPTIONS } from "./settings.ts";

/** `--budget`: dollars as micro-dollars, null for `none`. Throws {@link BadFlagError}. */
export function parseBudget(flag: string, value: string): MicroUsd | null {
  const option = OPTIONS.budgetMicroUsd;
  const read = readText(option, value);
  if (!read.ok) throw new BadFlagError(flag, value, "a number of dollars above 0, or none");
  return read.value;
}

/** A duration in ms; 0 where the flag's own meaning of it is "never". Throws {@link BadFlagError}. */
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

/** `--max-parallel` and the like: a whole number from 1 to 10000. Throws {@link BadFlagError}. */
export function parsePositiveInt(flag: string, value: string): number {
  const read = readText(OPTIONS.maxParallel, value);
  if (!read.ok) throw new BadFlagError(flag, value, OPTIONS.maxParallel.expects);
  return read.value;
}

/** A number of things with no upper limit to speak of; null for `none`. Throws {@link BadFlagError}. */
export function parseCount(flag: string, value: string): number | null {
  const read = readText(OPTIONS.maxSteps, value);
  if (!read.ok) throw new BadFlagError(flag, value, "a whole number above 0, or none");
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

/** `--keep`: how many, and 0 is a number of things as well. Throws {@link BadFlagError}. */
export function parseNumberOf(flag: string, value: string): number {
  if (!/^\d{1,9}$/.test(value)) throw new BadFlagError(flag, value, "a whole number, 0 or more");
  return Number(value);
}

/** `--effort`; null for `default`. Throws {@link BadFlagError}. */
export function parseEffort(flag: string, value: string): Effort | null {
  const read = readText(OPTIONS.effort, value);
  if (!read.ok) throw new BadFlagError(flag, value, OPTIONS.effort.expects.replaceAll('"', ""));
  return read.value;
}

/** A name or a command, null for the word that means none of it. Throws {@link BadFlagError}. */
export function parseName(
  flag: string,
  value: string,
  field: "model" | "claude" | "notify",
): string | null {
  const option = OPTIONS[field];
  const read = readText(option, value);
  if (!read.ok) throw new BadFlagError(flag, value, option.expects.replaceAll('"', ""));
  return read.value;
}

/**
 * A list of tools, separated by commas or blanks as the client takes it;
 * neither separates within parentheses: `Read,Bash(git commit *)` are two.
 * Empty is the empty list, `default` is null. Throws {@link BadFlagError}.
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
