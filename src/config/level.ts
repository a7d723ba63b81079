import type { Level } from "../language/permissions/permission.ts";
import { configErrors } from "./errors.ts";

interface LevelSettings {
  readonly permissions?: Level | null | undefined;
  readonly skipPermissions?: boolean | undefined;
}

/**
 * The settings of one source with both notations of the level: `permissions = "full"` and
 * `dangerously_skip_permissions = true` are the same. Throws `config/two-levels` if they contradict.
 */
export function withLevel<Given extends LevelSettings>(given: Given): Given {
  const { permissions, skipPermissions } = given;
  if (permissions === undefined) {
    return skipPermissions === true ? { ...given, permissions: "full" } : given;
  }
  const skips = permissions === "full" || (permissions === null && skipPermissions === true);
  if (skipPermissions !== undefined && skipPermissions !== skips) {
    throw configErrors["config/two-levels"](permissions ?? "default", skipPermissions);
  }
  return { ...given, skipPermissions: skips };
}
