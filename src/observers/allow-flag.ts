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
    .flatMap(rulesFor)
    .filter((rule) => !before.includes(rule));
  if (wanted.length === 0) return null;
  const all = [...new Set([...before, ...wanted])];
  // A tool that is allowed as a whole needs no narrower rule beside it.
  const rules = all.filter((rule) => !all.some((tool) => rule.startsWith(`${tool}(`)));
  return `--allowed-tools ${shellWord(rules.join(","))}`;
}

/** What such a flag is for; that it allows more than what was denied is never left unsaid. */
export function allowWords(flag: string): string {
  return `to allow them${/ \*\)/.test(flag) ? ", with any other arguments" : ""}`;
}

/**
 * The narrowest rules that allow the call: of a line of commands one for each, as the client asks for each. None where
 * no rule says it: Bash as a whole would allow any command.
 */
function rulesFor({ tool, input }: Denied): readonly string[] {
  if (tool !== "Bash") return [tool];
  if (/[`$<>\u2026\\]/.test(input)) return [];
  const rules = commandsOf(input).map(commandRule);
  return rules.every((rule) => rule !== null) ? rules : [];
}

/** The commands of a line, cut where no quote is open. */
function commandsOf(line: string): readonly string[] {
  const parts = line.match(/(?:'[^']*'|"[^"]*"|[^'"&|;\n])+/g) ?? [];
  return parts.map((part) => part.trim()).filter((part) => part !== "");
}

function commandRule(command: string): string | null {
  if (PLAIN_COMMAND.test(command)) return `Bash(${command})`;
  const program = /^[\w./-]+(?= )/.exec(command)?.[0];
  return program === undefined ? null : `Bash(${program} *)`;
}

/** One command with its words: what quotes is no rule. */
const PLAIN_COMMAND = /^[\w./@=+-]+(?: [\w./@=+:-]+)*$/;
