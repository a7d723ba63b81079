import { nearest } from "../../basics/nearest.ts";
import { quoted } from "../quote.ts";

/**
 * What is probably wrong with the name of a model: it resembles an alias of the client, but is none. Null otherwise.
 * Full ids, with digits or dashes, are not checked.
 */
export function modelTypo(model: string): string | null {
  return typoOf("model", model.trim(), ALIASES);
}

/** The same for a tool, as in `allowed_tools`: `Bsah(git *)`. Names that differ only in case may be those of another client. */
export function toolTypo(rule: string): string | null {
  const [, tool = ""] = /^\s*([^()]+?)\s*(?:\(|$)/.exec(rule) ?? [];
  const isKnown = TOOLS.some((each) => each.toLowerCase() === tool.toLowerCase());
  return isKnown ? null : typoOf("tool", tool, TOOLS);
}

function typoOf(kind: string, word: string, known: readonly string[]): string | null {
  if (!/^[A-Za-z]+$/.test(word) || known.includes(word)) return null;
  const guess = nearest(word, known);
  return guess === null ? null : `Unknown ${kind} ${quoted(word)}. Did you mean ${guess}?`;
}

const ALIASES = ["default", "best", "opus", "sonnet", "haiku", "opusplan", "fable", "mythos"];

/** Tools that permissions usually name. Tools of MCP servers have other names. */
const TOOLS = [
  ...["Bash", "BashOutput", "Edit", "ExitPlanMode", "Glob", "Grep", "KillShell", "MultiEdit"],
  ...["NotebookEdit", "NotebookRead", "Read", "Skill", "SlashCommand", "Task", "TodoWrite"],
  ...["WebFetch", "WebSearch", "Write", "Agent", "LS", "find", "powershell"],
];
