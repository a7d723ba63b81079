import type { DeclaredPermissions } from "../../language/permissions/declared.ts";
import {
  type Level,
  lowerLevel,
  type Permission,
  readPermissions,
} from "../../language/permissions/permission.ts";
import { permissionOfRule } from "../../language/permissions/tool-rule.ts";
import type { PromptFile } from "../../language/workflow/files/state-file.ts";
import type { RunSettings } from "../model/run-state.ts";

/** The settings of the user that limit the permissions of all states. */
export type UserPermissions = Pick<
  RunSettings,
  | "permissions"
  | "skipPermissions"
  | "allow"
  | "deny"
  | "tools"
  | "allowedTools"
  | "disallowedTools"
>;

/** Without settings of the user. */
export const UNSET: UserPermissions = {
  ...{ permissions: null, skipPermissions: false, allow: null, deny: null },
  ...{ tools: null, allowedTools: null, disallowedTools: null },
};

/** What one call may do. */
export interface CallPermissions {
  readonly level: Level;
  /** Allowed in addition to the level. */
  readonly allow: readonly Permission[];
  /** Denied, even if the level or `allow` permits it. */
  readonly deny: readonly Permission[];
  /** Lists in the words of the coding agent; null: not limited. */
  readonly tools: readonly string[] | null;
  readonly allowedTools: readonly string[] | null;
  readonly disallowedTools: readonly string[] | null;
  /** The state has permissions of its own, so an item of the user's `allow` applies only if the state lists it. */
  readonly narrowed?: boolean;
  /** Items that the state asks for, and that the user does not allow; absent: none. */
  readonly asked?: readonly string[];
}

export interface StatePermissions {
  readonly call: CallPermissions;
  /** What the state asks for beyond the settings of the user, and does not get, as written. */
  readonly refused: readonly string[];
}

type StateDeclaration = Pick<
  PromptFile,
  "permissions" | "tools" | "allowedTools" | "disallowedTools"
>;

export function levelOf({
  permissions,
  skipPermissions,
}: Pick<UserPermissions, "permissions" | "skipPermissions">): Level {
  return skipPermissions ? "full" : (permissions ?? "edit");
}

/** Whether the user has set permissions. Then states can only select from the user's `tools`. */
export function isFixed({ permissions, skipPermissions, allow, deny }: UserPermissions): boolean {
  return skipPermissions || permissions !== null || allow !== null || deny !== null;
}

/**
 * The permissions of a state: those of the user, narrowed by the state and its `workflow.yaml`. They
 * never exceed the user's (`tests/machine/decide/permissions.test.ts`).
 */
export function permissionsOf(
  state: StateDeclaration,
  workflow: DeclaredPermissions,
  user: UserPermissions,
): StatePermissions {
  const own = levelOf(user);
  const asked = state.permissions.level ?? workflow.level;
  const level = asked === null ? own : lowerLevel(own, asked);
  const allowed = allowedIn(state, workflow, user, level);
  const tools = toolsIn(state, user);
  const items = allowed.refused.map(sameName);
  return {
    call: {
      level,
      allow: readPermissions(allowed.allow),
      deny: readPermissions(union(user.deny, workflow.deny, state.permissions.deny)),
      tools: tools.list,
      allowedTools: allowed.tools,
      disallowedTools: orNull(union(user.disallowedTools, state.disallowedTools)),
      ...(allowed.narrowed && { narrowed: true }),
      ...(items.length > 0 && { asked: items }),
    },
    refused: [
      ...(asked === null || asked === level ? [] : [`permissions: ${asked}`]),
      ...allowed.refused,
      ...tools.refused,
    ],
  };
}

interface Allowed extends Pick<StatePermissions, "refused"> {
  readonly allow: readonly string[];
  readonly tools: readonly string[] | null;
  readonly narrowed: boolean;
}

/** `allow` and `allowed_tools`, which are one list in two notations. */
function allowedIn(
  state: StateDeclaration,
  workflow: DeclaredPermissions,
  user: UserPermissions,
  level: Level,
): Allowed {
  const asked = state.permissions.allow ?? workflow.allow;
  const { allowedTools } = state;
  const isAny = levelOf(user) === "full";
  if (asked === null && allowedTools === null) {
    // A lower level than that of the run has no exceptions but those that the state lists.
    const keeps = level === levelOf(user);
    const tools = keeps ? user.allowedTools : null;
    const allow = keeps ? (user.allow ?? []) : [];
    return { allow, tools, refused: [], narrowed: !keeps };
  }
  if (isAny) {
    return { allow: asked ?? [], tools: allowedTools, refused: [], narrowed: true };
  }
  const lists = [...(user.allow ?? []), ...(user.allowedTools ?? [])];
  const has = new Set(lists.map(sameName));
  const covered = (item: string) => has.has(sameName(item)) || has.has(anyOfKind(item));
  const wanted = [...(asked ?? []), ...(allowedTools ?? [])];
  const refused = wanted.filter((item) => !covered(item));
  const names = new Set(wanted.map(sameName));
  const kept = (items: readonly string[] | null) =>
    (items ?? []).filter((item) => names.has(sameName(item)));
  const narrower = wanted.filter((item) => has.has(anyOfKind(item))).map(sameName);
  const allow = union(kept(user.allow), narrower);
  return { allow, tools: orNull(kept(user.allowedTools)), refused, narrowed: true };
}

/** One name for both notations of an item. */
function sameName(item: string): string {
  return permissionOfRule(item) ?? item;
}

/** The item that allows everything of the kind: `command(*)`. Paths have none: `*` is one folder. */
function anyOfKind(item: string): string {
  return sameName(item).replace(/^(command|network)\(.*\)$/s, "$1(*)");
}

/** The tools that a call has at all. */
function toolsIn(
  { tools }: StateDeclaration,
  user: UserPermissions,
): { readonly list: readonly string[] | null; readonly refused: readonly string[] } {
  const own = user.tools;
  if (tools === null || own === null || !isFixed(user)) return { list: tools ?? own, refused: [] };
  // The client reads it as all tools.
  if (tools.includes("default")) return { list: own, refused: ["tools: default"] };
  const [list, refused] = [true, false].map((isOwn) =>
    tools.filter((tool) => own.includes(tool) === isOwn),
  );
  return { list: list ?? [], refused: (refused ?? []).map((tool) => `tool ${tool}`) };
}

function union(...lists: readonly (readonly string[] | null)[]): readonly string[] {
  return [...new Set(lists.flatMap((list) => list ?? []))];
}

function orNull(list: readonly string[]): readonly string[] | null {
  return list.length === 0 ? null : list;
}
