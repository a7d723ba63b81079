import { parseDocument } from "yaml";
import { isJsonObject, type JsonObject } from "../../../language/basics/json-object.ts";
import { shortened, shown, UNREADABLE } from "../../common/executing-file.ts";
import { executedByHooks, isEmpty } from "./executed.ts";

/** Front matter that neither executes nor permits anything. `tools` restricts a subagent. */
const HARMLESS_FRONT_MATTER: ReadonlySet<string> = new Set([
  ...["name", "description", "argument-hint", "arguments", "model", "effort", "color", "version"],
  ...["license", "metadata", "compatibility", "author", "when_to_use", "context", "agent", "paths"],
  ...["disable-model-invocation", "user-invocable", "tools", "disallowedTools", "maxTurns", "tags"],
]);

/** The longest front matter that is parsed. */
const LONGEST_BLOCK = 64 * 1024;

/** A skill, a command or a subagent: Markdown with front matter. */
export function executedByInstructions(text: string): readonly string[] {
  const [, block = null] = /^\uFEFF?---[^\n]*\n(?:(.*?)\n)?---/s.exec(text) ?? [];
  return [...(block === null ? [] : byFrontMatter(block)), ...embeddedCommands(text)];
}

function byFrontMatter(block: string): readonly string[] {
  const fields = block.length > LONGEST_BLOCK ? null : readYaml(block);
  if (fields === null) return [UNREADABLE];
  return Object.entries(fields).flatMap(([key, value]) => {
    if (HARMLESS_FRONT_MATTER.has(key) || isEmpty(value)) return [];
    return key === "hooks" ? executedByHooks(value) : [`${key}: ${shown(value)}`];
  });
}

/** Commands in the text, as in `` !`git status` `` and in code blocks marked with `!`. */
function embeddedCommands(text: string): readonly string[] {
  const inline = text.matchAll(/!`+([^`]*)`/g);
  const blocks = text.matchAll(/^\s*(?:`{3,}|~{3,})\s*!([^\n]*\n[^\n]*)/gm);
  return [...inline, ...blocks].map(([, command = ""]) => `runs: ${shortened(command.trim())}`);
}

/** Null for anything but a mapping without aliases, which could be huge. */
function readYaml(block: string): JsonObject | null {
  try {
    const document = parseDocument(block, { logLevel: "silent" });
    if (document.errors.length > 0) return null;
    const value: unknown = document.toJS({ maxAliasCount: 0 });
    if (value === null) return {};
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}
