import path from "node:path";
import { placeText } from "../../language/basics/place.ts";
import type { Permission } from "../../language/permissions/permission.ts";
import type { WorkflowId } from "../../language/protocol/address.ts";
import type { PromptFile } from "../../language/workflow/files/state-file.ts";
import { refusedWarning } from "../../machine/decide/permission-warnings.ts";
import { type CallPermissions, permissionsOf } from "../../machine/decide/permissions.ts";
import type { Event } from "../../machine/model/event.ts";
import type { RunState } from "../../machine/model/run-state.ts";
import type { Folders } from "../ports/folders.ts";
import type { Workflows } from "../ports/workflows.ts";
import type { StepTree } from "./step-tree.ts";

interface PermissionPorts {
  readonly workflows: Pick<Workflows, "permissions">;
  readonly folders: Pick<Folders, "withTarget">;
}

/**
 * The permissions of a prompt step, with absolute paths. `report`: receives a warning if the state
 * asks for more than the user allows; null: it was reported before.
 */
export async function stepPermissions(
  { settings, launchDir }: Pick<RunState, "settings" | "launchDir">,
  { place }: StepTree,
  workflow: WorkflowId | null,
  { file, source }: { readonly file: PromptFile; readonly source: string },
  { workflows, folders }: PermissionPorts,
  report: ((event: Event) => void) | null,
): Promise<CallPermissions> {
  const permissions = permissionsOf(file, await workflows.permissions(workflow), settings);
  const warning = refusedWarning(permissions, settings);
  if (warning !== null && report !== null) {
    const { at } = file.permissions;
    const place = placeText(source, at === null ? null : { line: at.line });
    report({ type: "run.warning", message: `${place}: ${warning.message}`, hint: warning.hint });
  }
  return withAbsolutePaths(permissions.call, launchDir, folders, place);
}

/**
 * Relative paths start at the folder of the run, so that a step in another folder has the same
 * limits. `place`: in a worktree they mean its files, and denied paths also those of the checkout. A denied path that
 * goes through links is denied with its target: a client may compare either.
 */
export function withAbsolutePaths(
  call: CallPermissions,
  launchDir: string,
  folders: Pick<Folders, "withTarget">,
  place: StepTree["place"] = (written) => path.resolve(launchDir, written),
): CallPermissions {
  const pathsIn = (
    items: readonly Permission[],
    placesOf: (written: string) => readonly string[],
  ) =>
    items.flatMap((item): readonly Permission[] => {
      if (!isPath(item) || item.value.startsWith("~/")) return [item];
      return [...new Set(placesOf(item.value))].map((value) => ({ ...item, value }));
    });
  const inTree = (written: string) =>
    path.isAbsolute(written) ? path.resolve(written) : place(written);
  const allow = pathsIn(call.allow, (written) => [inTree(written)]);
  const denied = pathsIn(call.deny, (written) => [
    path.resolve(launchDir, written),
    inTree(written),
  ]);
  const deny = denied.flatMap((item) => [item, ...targetsOf(item, folders)]);
  return { ...call, allow, deny };
}

function isPath({ kind }: Permission): boolean {
  return kind === "read" || kind === "write";
}

/** The item for the target of its path, up to the first wildcard. */
function targetsOf(
  item: Permission,
  { withTarget }: Pick<Folders, "withTarget">,
): readonly Permission[] {
  if (!isPath(item)) return [];
  const { value } = item;
  const star = value.indexOf("*");
  const fixed = star === -1 ? value : path.dirname(`${value.slice(0, star)}x`);
  const rest = value.slice(fixed.length);
  return (
    withTarget(fixed)
      .filter((place) => place !== fixed)
      // `*` is a wildcard, and `?` matches any character.
      .map((place) => ({ ...item, value: path.join(place.replace(/[*~]/g, "?"), rest) }))
  );
}
