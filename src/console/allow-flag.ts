import type { Denial, DenialCount } from "../machine/step/denial.ts";
import { shellWord } from "./shell-word.ts";

/** A denied tool call. */
type Denied = Pick<Denial, "tool" | "input">;

/**
 * The flag that allows the denied calls in addition to the tools that the run already allows: the flag replaces the
 * run's list. Null if there is nothing to allow.
 */
export function allowFlag(
  denials: readonly Denied[],
  allowed: readonly string[] | null,
): string | null {
  const before = allowed ?? [];
  const added = denials
    .filter(({ tool }) => !before.includes(tool))
    .flatMap(rulesFor)
    .filter((rule) => !before.includes(rule));
  if (added.length === 0) return null;
  const all = [...new Set([...before, ...added])];
  // A rule for a whole tool includes its narrower rules.
  const rules = all.filter((rule) => !all.some((tool) => rule.startsWith(`${tool}(`)));
  return `--allowed-tools ${shellWord(rules.join(","))}`;
}

/** `PLAN.md  Bash  npm test 2×` */
export function deniedWords({ state, tool, input, count }: DenialCount): string {
  const times = count === 1 ? "" : ` ${String(count)}×`;
  return `${state}  ${tool}${input === "" ? "" : `  ${input}`}${times}`;
}

/** The words before the flag. They say so if it allows more than the denied calls. */
export function allowWords(flag: string): string {
  return `to allow them${/ \*\)/.test(flag) ? ", with any other arguments" : ""}`;
}

/**
 * The narrowest rules that allow the call: one per command of a command line, since the client checks each. Empty if no
 * rule can express it: a rule for all of Bash would allow any command.
 */
function rulesFor({ tool, input }: Denied): readonly string[] {
  if (tool !== "Bash") return [tool];
  if (/[`$<>\u2026\\]/.test(input)) return [];
  const rules = commandsOf(input).map(commandRule);
  return rules.every((rule) => rule !== null) ? rules : [];
}

/** Splits a command line outside of quotes. */
function commandsOf(line: string): readonly string[] {
  const parts = line.match(/(?:'[^']*'|"[^"]*"|[^'"&|;\n])+/g) ?? [];
  return parts.map((part) => part.trim()).filter((part) => part !== "");
}

function commandRule(command: string): string | null {
  if (PLAIN_COMMAND.test(command)) return `Bash(${command})`;
  const program = /^[\w./-]+(?= )/.exec(command)?.[0];
  return program === undefined ? null : `Bash(${program} *)`;
}

/** A command without quotes. */
const PLAIN_COMMAND = /^[\w./@=+-]+(?: [\w./@=+:-]+)*$/;
