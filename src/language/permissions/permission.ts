import { nearest } from "../basics/nearest.ts";

/** What a prompt step may do without further permissions, from the least to the most (docs/permissions.md, "Permissions"). */
export const LEVELS = ["read-only", "edit", "full"] as const;
export type Level = (typeof LEVELS)[number];

export function lowerLevel(a: Level, b: Level): Level {
  return LEVELS.indexOf(a) < LEVELS.indexOf(b) ? a : b;
}

export const KINDS = ["command", "read", "write", "network", "tool"] as const;
export type PermissionKind = (typeof KINDS)[number];

/**
 * An item of `allow` or `deny`. `*` in a command, a path or a host matches any text. A path is
 * absolute, starts with `~/`, or is relative to the folder in which the run was started.
 */
export interface Permission {
  readonly kind: PermissionKind;
  readonly value: string;
}

/** As written in settings and front matter: `command(npm test)`. */
export function printPermission({ kind, value }: Permission): string {
  return `${kind}(${value})`;
}

/** An item, or its problem as a clause: `has an unknown kind "comand"`. */
type ParsedPermission =
  | { readonly ok: true; readonly permission: Permission }
  | { readonly ok: false; readonly problem: string };

export const PERMISSION_EXAMPLES =
  "command(npm test *), read(PATH), write(src/**), network(example.com), tool(WebSearch)";

/** Parses an item of `allow` or `deny`. */
export function parsePermission(text: string): ParsedPermission {
  const [, word, inside = ""] = /^\s*([^()\s]*)\s*\((.*)\)\s*$/s.exec(text) ?? [];
  if (word === undefined) return invalid("is not written as KIND(VALUE)");
  const kind = KINDS.find((known) => known === word);
  if (kind === undefined) {
    const near = nearest(word, KINDS);
    const guess = near === null ? `; kinds: ${KINDS.join(", ")}` : ` (did you mean ${near}?)`;
    return invalid(`has the unknown kind "${word}"${guess}`);
  }
  const value = inside.trim();
  const problem = value === "" ? "has no value in its parentheses" : PROBLEMS[kind](value);
  return problem === null ? { ok: true, permission: { kind, value } } : invalid(problem);
}

/** Items that {@link parsePermission} accepted before. Throws for others, which is a bug. */
export function readPermissions(texts: readonly string[]): readonly Permission[] {
  return texts.map((text) => {
    const parsed = parsePermission(text);
    if (parsed.ok) return parsed.permission;
    throw new Error(`the permission ${text} ${parsed.problem}`);
  });
}

function invalid(problem: string): ParsedPermission {
  return { ok: false, problem };
}

/** By kind, why a value cannot be enforced exactly; null if it can. */
const PROBLEMS: Readonly<Record<PermissionKind, (value: string) => string | null>> = {
  command: commandProblem,
  read: pathProblem,
  write: pathProblem,
  network: (host) =>
    HOST.test(host) ? null : "must name a host, such as example.com or *.example.com, or be *",
  tool: (name) =>
    TOOL.test(name) ? null : "must name a tool, such as WebSearch or mcp__server__*",
};

const HOST = /^(?:\*|(?:\*\.)?[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)$/i;
const TOOL = /^[A-Za-z][\w-]*\*?$/;

function commandProblem(command: string): string | null {
  if (!isPrintable(command)) return "contains a line break or a control character";
  // Clients use parentheses and commas to separate rules.
  if (/[(),]/.test(command)) return "contains a parenthesis or a comma; use * for that part";
  if (/:\*$/.test(command)) return "ends with :*; write a space before the * instead of the colon";
  return null;
}

function pathProblem(path: string): string | null {
  if (!isPrintable(path)) return "contains a line break or a control character";
  if (/(?:^|\/)\.\.(?:\/|$)/.test(path)) return "contains ..; write the absolute path";
  if (path.includes("\\")) return "contains a backslash; separate folders with /";
  if (!PATH.test(path)) return "has characters other than letters, digits, blanks, * and ._-+@=~/";
  return null;
}

const PATH = /^(?:~\/|\/|[A-Za-z]:\/)?[\p{L}\p{M}\p{N}*._+@=~/ -]*$/u;

/** Also without invisible characters, which would make two items look equal. */
function isPrintable(text: string): boolean {
  return !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text);
}
