import path from "node:path";
import { placeText } from "../language/basics/place.ts";
import type { Permission } from "../language/permissions/permission.ts";
import type { WorkflowId } from "../language/protocol/address.ts";
import type { PromptFile } from "../language/workflow/files/state-file.ts";
import type { Event } from "../machine/event.ts";
import type { RunState } from "../machine/run-state.ts";
import { refusedWarning } from "../machine/step/permission-warnings.ts";
import { type CallPermissions, permissionsOf } from "../machine/step/permissions.ts";
import type { Workflows } from "./ports/workflows.ts";

/**
 * The permissions of a prompt step, with absolute paths. `report`: receives a warning if the state
 * asks for more than the user allows; null: it was reported before.
 */
export async function stepPermissions(
  { settings, launchDir }: Pick<RunState, "settings" | "launchDir">,
  workflow: WorkflowId | null,
  { file, source }: { readonly file: PromptFile; readonly source: string },
  workflows: Pick<Workflows, "permissions">,
  report: ((event: Event) => void) | null,
): Promise<CallPermissions> {
  const permissions = permissionsOf(file, await workflows.permissions(workflow), settings);
  const warning = refusedWarning(permissions);
  if (warning !== null && report !== null) {
    const { at } = file.permissions;
    const place = placeText(source, at === null ? null : { line: at.line });
    report({ type: "run.warning", message: `${place}: ${warning.message}`, hint: warning.hint });
  }
  return withAbsolutePaths(permissions.call, launchDir);
}

/** Relative paths start at the folder of the run, so that a step in another folder has the same limits. */
export function withAbsolutePaths(call: CallPermissions, launchDir: string): CallPermissions {
  const absolute = (item: Permission): Permission => {
    if ((item.kind !== "read" && item.kind !== "write") || item.value.startsWith("~/")) return item;
    return { ...item, value: path.resolve(launchDir, item.value) };
  };
  return { ...call, allow: call.allow.map(absolute), deny: call.deny.map(absolute) };
}
