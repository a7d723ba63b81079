import { parsePermission } from "../../language/permissions/permission.ts";
import { permissionOfRule } from "../../language/permissions/tool-rule.ts";
import type { StatePermissions, UserPermissions } from "./permissions.ts";

interface PermissionWarning {
  readonly message: string;
  readonly hint: string;
}

/** About a state that asks for more than the settings of the user allow; null if it does not. A sentence without its place. */
export function refusedWarning(
  { refused, call: { level } }: Pick<StatePermissions, "refused" | "call">,
  user: Pick<UserPermissions, "allow" | "allowedTools">,
): PermissionWarning | null {
  if (refused.length === 0) return null;
  const levels = refused.filter((item) => item.startsWith("permissions: "));
  const items = refused.filter((item) => !/^(?:permissions: |tools?:? )/.test(item));
  const runs = levels.length === 0 ? "" : ` The state runs with ${level}.`;
  const flags = [
    ...levels.map((item) => `--permissions ${item.slice("permissions: ".length)}`),
    ...flagsFor(items, user),
  ];
  const hint = flags.length === 0 ? "Add it to tools" : `Add ${flags.join(" ")}`;
  return {
    message: `The state asks for more than your settings allow, and does not get it: ${refused.join(", ")}.${runs}`,
    hint: `${hint}, or the same setting in config.toml, if you trust the workflow with it.`,
  };
}

/** The flags that allow these items in addition to those of the user, whose lists they replace. */
function flagsFor(
  items: readonly string[],
  user: Pick<UserPermissions, "allow" | "allowedTools">,
): readonly string[] {
  const allow = items.flatMap((item) => (isNeutral(item) ? item : (permissionOfRule(item) ?? [])));
  const others = items.filter((item) => !isNeutral(item) && permissionOfRule(item) === null);
  const print = (flag: string, list: readonly string[]) =>
    list.length === 0 ? [] : [`${flag} '${list.join(",").replaceAll("'", "'\\''")}'`];
  const added = (before: readonly string[] | null, list: readonly string[]) =>
    list.length === 0 ? [] : [...new Set([...(before ?? []), ...list])];
  return [
    ...print("--allow", added(user.allow, allow)),
    ...print("--allowed-tools", added(user.allowedTools, others)),
  ];
}

function isNeutral(item: string): boolean {
  return parsePermission(item).ok;
}
