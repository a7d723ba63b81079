import type { DenialCount } from "../../observers/event-history.ts";
import { shellWord } from "../words.ts";

/**
 * The flag that allows what was refused, beside what the run allows already: a flag
 * replaces the run's list. Null where nothing is left to allow.
 */
export function allowFlag(
  denials: readonly DenialCount[],
  allowed: readonly string[] | null,
): string | null {
  const before = allowed ?? [];
  const wanted = denials
    .filter(({ tool }) => !before.includes(tool))
    .map(ruleFor)
    .filter((rule) => !before.includes(rule));
  if (wanted.length === 0) return null;
  const all = [...new Set([...before, ...wanted])];
  // A tool that is allowed as a whole needs no narrower rule beside it.
  const rules = all.filter((rule) => !all.some((tool) => rule.startsWith(`${tool}(`)));
  return `--allowed-tools ${shellWord(rules.join(","))}`;
}

/** Whether such a flag lets the model run any command. */
export function allowsAnyCommand(flag: string): boolean {
  return /[ ',]Bash(?:[',]|$)/.test(flag);
}

/** The narrowest rule that would have allowed the call: a command as it was, as far as a rule can say it. */
function ruleFor({ tool, input }: DenialCount): string {
  return tool === "Bash" && PLAIN_COMMAND.test(input) ? `Bash(${input})` : tool;
}

/** One command with its words: what joins several, quotes or was shortened is no rule. */
const PLAIN_COMMAND = /^[\w./@=+-]+(?: [\w./@=+:-]+)*$/;
