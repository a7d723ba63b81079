import type { Invocation } from "../../engine/ports/backend.ts";
import type { Level } from "../../language/permissions/permission.ts";

export type ToolLimits = Pick<
  Invocation,
  "level" | "allow" | "deny" | "tools" | "allowedTools" | "disallowedTools"
>;

/** Tools of pi, in the order of its help. The first four are those that it offers by default. */
const READ = ["read", "grep", "find", "ls"] as const;
const EDIT = [...READ, "edit", "write"] as const;
const ALL = [...EDIT, "bash", "powershell"] as const;
/** pi's default as additions to it: without an argument, a conversation keeps the tools of its last call. */
const DEFAULT = "+read,+bash,+edit,+write";

/** Null: pi's own default, and the tools of extensions. */
const OF_LEVEL: Readonly<Record<Level, readonly string[] | null>> = {
  "read-only": READ,
  edit: EDIT,
  full: null,
};

/**
 * The tools of a call as arguments (docs/pi.md, "Permissions"). pi asks nothing and denies nothing, so a tool is either
 * available or not: every level but `full` is a list of tools.
 */
export function toolArgs(limits: ToolLimits): readonly string[] {
  const { list, excluded } = toolsOf(limits);
  if (list === null) {
    const without = excluded.length === 0 ? [] : ["--exclude-tools", excluded.join(",")];
    return ["--tools", DEFAULT, ...without];
  }
  return list.length === 0 ? ["--no-tools"] : ["--tools", list.join(",")];
}

/** Whether the permissions of a call withhold a tool of pi from the model. */
export function isWithheld(tool: string, limits: ToolLimits): boolean {
  if (!(ALL as readonly string[]).includes(tool)) return false;
  if (limits.tools !== null && !limits.tools.map(nameOf).includes(tool)) return false;
  const { list, excluded } = toolsOf(limits);
  return list === null ? excluded.includes(tool) : !list.includes(tool);
}

function toolsOf(limits: ToolLimits): {
  readonly list: readonly string[] | null;
  readonly excluded: readonly string[];
} {
  const denied = [...itemsOf(limits.deny), ...(limits.disallowedTools ?? []).map(nameOf)];
  const allowed = [...itemsOf(limits.allow), ...wholeTools(limits.allowedTools ?? [])];
  const listed = listOf(limits, allowed);
  // Names of tools of extensions are unknown here: a pattern can only be applied to a list.
  const list = listed ?? (denied.some(isPattern) ? ALL : null);
  const isDenied = (tool: string): boolean => denied.some((item) => matches(item, tool));
  return { list: list?.filter((tool) => !isDenied(tool)) ?? null, excluded: denied };
}

function listOf(
  { level, tools }: ToolLimits,
  allowed: readonly string[],
): readonly string[] | null {
  const own = OF_LEVEL[level];
  if (own === null) return tools === null ? null : tools.map(nameOf);
  const added = ALL.filter((tool) => allowed.some((item) => matches(item, tool)));
  const most = [...new Set([...own, ...added, ...allowed.filter((item) => !isPattern(item))])];
  return tools === null ? most : most.filter((tool) => tools.map(nameOf).includes(tool));
}

function itemsOf(items: ToolLimits["allow"]): readonly string[] {
  return items.filter(({ kind }) => kind === "tool").map(({ value }) => nameOf(value));
}

/** Rules for a part of a tool, such as `Bash(git *)`, cannot be enforced: they allow nothing. */
function wholeTools(rules: readonly string[]): readonly string[] {
  return rules.filter((rule) => !rule.includes("(")).map(nameOf);
}

/** The tool of a rule. Names of pi are in lower case; those of other agents are often not. */
function nameOf(rule: string): string {
  const name = rule.replace(/\(.*$/s, "").trim();
  const own = name.toLowerCase();
  return (ALL as readonly string[]).includes(own) ? own : name;
}

function isPattern(item: string): boolean {
  return item.endsWith("*");
}

function matches(item: string, tool: string): boolean {
  return isPattern(item) ? tool.startsWith(item.slice(0, -1)) : tool === item;
}
