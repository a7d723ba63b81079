import { stat } from "node:fs/promises";
import type { JsonObject } from "../../language/basics/json-object.ts";
import { type Grant, readableArgument } from "../../machine/model/denial.ts";
import { textAt, valueAt } from "../common/json-fields.ts";

/** The argument in a tool's input that a permission rule compares, and the tool in that rule. */
interface Comparison {
  readonly field: string;
  readonly rule: string;
}

/** Other tools have only rules for the whole tool, or for a whole host: they would allow more than the denied call. */
const COMPARED: Readonly<Record<string, Comparison>> = {
  Bash: { field: "command", rule: "Bash" },
  Read: { field: "file_path", rule: "Read" },
  Edit: { field: "file_path", rule: "Edit" },
  MultiEdit: { field: "file_path", rule: "Edit" },
  NotebookEdit: { field: "notebook_path", rule: "Edit" },
  Write: { field: "file_path", rule: "Edit" },
};

/**
 * The argument of a denied call if the client can allow exactly this call (docs/claude.md, "Permissions for denied tool
 * calls"). A `*` in a rule is a wildcard and cannot be escaped (measured on both versions).
 */
export function exactArgument(tool: string, input: JsonObject): string | undefined {
  const compared = Object.hasOwn(COMPARED, tool) ? COMPARED[tool] : undefined;
  const text = compared === undefined ? null : textAt(input, compared.field);
  if (text === null || text.includes("*") || text !== text.trim()) return undefined;
  if (tool === "Bash" && valueAt(input, "dangerouslyDisableSandbox") === true) return undefined;
  if (tool !== "Bash" && !PLAIN_PATH.test(text)) return undefined;
  return readableArgument(text);
}

/** An absolute path without the special characters of a path rule. */
const PLAIN_PATH = /^\/(?!\/)(?!.*(?:^|\/)\.{1,2}(?:\/|$))[^*?[\]{}!#\\\n\t]*[^*?[\]{}!#\\\n\t/]$/;

/** The rules of the client that allow exactly these calls. */
export async function allowRules(grants: readonly Grant[]): Promise<readonly string[]> {
  const rules = await Promise.all(grants.map(ruleFor));
  return rules.filter((rule) => rule !== null);
}

/** Null for a folder: the rule would include its content. */
async function ruleFor({ tool, argument }: Grant): Promise<string | null> {
  const compared = Object.hasOwn(COMPARED, tool) ? COMPARED[tool] : undefined;
  if (compared === undefined) return null;
  if (tool === "Bash") return `Bash(${escaped(argument)})`;
  const folder = (await stat(argument).catch(() => null))?.isDirectory() === true;
  return folder ? null : `${compared.rule}(/${escaped(argument)})`;
}

function escaped(argument: string): string {
  return argument.replaceAll(/[\\()]/g, "\\$&");
}
