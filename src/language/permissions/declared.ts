import type { Position } from "../basics/place.ts";
import type { Level } from "./permission.ts";

/** The permissions that a state or a `workflow.yaml` declares (docs/permissions.md, "Permissions"). */
export interface DeclaredPermissions {
  readonly level: Level | null;
  /** Items of `allow` as {@link printPermission} prints them; null: not declared. */
  readonly allow: readonly string[] | null;
  readonly deny: readonly string[];
  /** The first key that asks for permissions, including lists of tools; null: there is none. */
  readonly at: Position | null;
}

export const NONE_DECLARED: DeclaredPermissions = { level: null, allow: null, deny: [], at: null };
