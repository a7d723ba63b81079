import { parsePermission } from "../../language/permissions/permission.ts";
import { permissionOfRule } from "../../language/permissions/tool-rule.ts";
import type { StatePermissions } from "./permissions.ts";

interface PermissionWarning {
  readonly message: string;
  readonly hint: string;
}

/** About a state that asks for more than the settings of the user allow; null if it does not. A sentence without its place. */
export function refusedWarning({
  refused,
  call: { level },
}: Pick<StatePermissions, "refused" | "call">): PermissionWarning | null {
  if (refused.length === 0) return null;
  const levels = refused.filter((item) => item.startsWith("permissions: "));
  const items = refused.filter((item) => !/^(?:permissions: |tools?:? )/.test(item));
  const runs = levels.length === 0 ? "" : ` The state runs with ${level}.`;
  const settings = [
    ...levels.map((item) => `permissions = "${item.slice("permissions: ".length)}"`),
    ...settingsFor(items),
  ];
  const hint = settings.length === 0 ? "Add it to tools" : `Set ${settings.join(" and ")}`;
  return {
    message: `The state asks for more than your settings allow, and does not get it: ${refused.join(", ")}.${runs}`,
    hint: `${hint} in config.toml or with a flag, if you trust the workflow with it.`,
  };
}

/** About all states that grant themselves permissions, because the user has set none; null if none does. */
export function grantWarning(granted: readonly string[]): PermissionWarning | null {
  const all = [...new Set(granted)].sort();
  if (all.length === 0) return null;
  return {
    message: `This workflow grants itself permissions in allowed_tools: ${all.join(", ")}.`,
    hint: `To decide them yourself, write into config.toml: ${settingsFor(all).join(" and ")}. Then states can only narrow your settings.`,
  };
}

/** The settings that allow these items. */
function settingsFor(items: readonly string[]): readonly string[] {
  const allow = items.flatMap((item) => (isNeutral(item) ? item : (permissionOfRule(item) ?? [])));
  const others = items.filter((item) => !isNeutral(item) && permissionOfRule(item) === null);
  const print = (key: string, list: readonly string[]) =>
    list.length === 0 ? [] : [`${key} = ${JSON.stringify(list)}`];
  return [...print("allow", [...new Set(allow)]), ...print("allowed_tools", others)];
}

function isNeutral(item: string): boolean {
  return parsePermission(item).ok;
}
