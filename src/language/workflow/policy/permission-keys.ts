import type { DeclaredPermissions } from "../../permissions/declared.ts";
import {
  LEVELS,
  type Level,
  PERMISSION_EXAMPLES,
  parsePermission,
  printPermission,
} from "../../permissions/permission.ts";
import { readEach } from "../errors.ts";
import { didYouMean, listed, quoted } from "../quote.ts";
import type { Entry, ErrorAt, Tree } from "../yaml-tree.ts";

/** The keys of a prompt and of `workflow.yaml` that limit permissions (docs/permissions.md, "Permissions"). */
export const PERMISSION_KEYS = {
  permissions: parseLevel,
  allow: parsePermissions,
  deny: parsePermissions,
} as const;

export function isPermissionKey(key: string): key is keyof typeof PERMISSION_KEYS {
  return Object.hasOwn(PERMISSION_KEYS, key);
}

/** Keys that ask for permissions. Their first one is the place of a warning. */
const ASKING: readonly string[] = ["permissions", "allow", "allowed_tools", "tools"];

/** `entries`: the mapping that declares the keys. */
export function declaredPermissions(
  declared: {
    readonly permissions?: Level;
    readonly allow?: readonly string[];
    readonly deny?: readonly string[];
  },
  entries: readonly Entry[],
): DeclaredPermissions {
  return {
    level: declared.permissions ?? null,
    allow: declared.allow ?? null,
    deny: declared.deny ?? [],
    at: entries.find(({ key }) => ASKING.includes(key))?.at ?? null,
  };
}

function parseLevel(value: Tree, errorAt: ErrorAt, key: string): Level {
  const hint = `Write one of: ${LEVELS.join(", ")}.`;
  const text = value.kind === "scalar" ? value.text.trim() : "";
  const level = LEVELS.find((known) => known === text);
  if (level !== undefined) return level;
  const what =
    value.kind === "scalar"
      ? `${quoted(text)} is no value of ${key}.`
      : `${key} must be one of ${listed(LEVELS)}.`;
  throw errorAt(value.at, what, `${didYouMean(text, LEVELS)}${hint}`);
}

function parsePermissions(value: Tree, errorAt: ErrorAt, key: string): readonly string[] {
  const hint = `Examples: ${PERMISSION_EXAMPLES}`;
  if (value.kind !== "list") throw errorAt(value.at, `${key} must be a list.`, hint);
  return readEach(value.items, (item) => {
    if (item.kind !== "scalar") throw errorAt(item.at, `An item of ${key} must be a string.`, hint);
    const parsed = parsePermission(item.text);
    if (parsed.ok) return printPermission(parsed.permission);
    throw errorAt(item.at, `The item ${quoted(item.text)} of ${key} ${parsed.problem}.`, hint);
  });
}
