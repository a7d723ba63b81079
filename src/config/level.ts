import { configErrors } from "./errors.ts";
import type { PartialSettings } from "./settings.ts";

/**
 * The settings of one source with both notations of the level: `permissions = "full"` and
 * `dangerously_skip_permissions = true` are the same. Throws `config/two-levels` if they contradict.
 */
export function withLevel(given: PartialSettings): PartialSettings {
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
