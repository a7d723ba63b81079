import type { DenialCount } from "./event-history.ts";
import { shellWord } from "./shell-word.ts";

/** A tool call that was refused. */
type Denied = Pick<DenialCount, "tool" | "input">;

/**
 * The flag that allows what was refused, beside what the run allows already: a flag
 * replaces the run's list. Null where nothing is left to allow.
 */
export function allowFlag(
  denials: readonly Denied[],
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

/** What such a flag is for; that it lets the model run any command is never left unsaid. */
export function allowWords(flag: string): string {
  const any = /[ ',]Bash(?:[',]|$)/.test(flag);
  return `to allow them${any ? ", and any other command" : ""}`;
}

/** The narrowest rule that would have allowed the call: a command as it was, as far as a rule can say it. */
function ruleFor({ tool, input }: Denied): string {
  return tool === "Bash" && PLAIN_COMMAND.test(input) ? `Bash(${input})` : tool;
}

/** One command with its words: what joins several, quotes or was shortened is no rule. */
const PLAIN_COMMAND = /^[\w./@=+-]+(?: [\w./@=+:-]+)*$/;
