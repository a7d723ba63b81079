import type { Invocation } from "../../engine/ports/backend.ts";
import type { ProjectAccess } from "../common/project-access.ts";
import { type ToolLimits, toolArgs } from "./tools.ts";

/** What one call and a manual session have in common. */
export type CallSettings = Pick<Invocation, "model" | "effort"> & ToolLimits;

/**
 * The arguments of one call (docs/pi.md, "Command line"). The prompt is passed on standard input. `file`: the conversation,
 * which exists.
 */
export function callArgs(
  call: CallSettings,
  file: string,
  access: ProjectAccess,
): readonly string[] {
  return ["-p", "--mode", "json", ...manualArgs(call, file, access)];
}

export function manualArgs(
  call: CallSettings,
  file: string,
  access: ProjectAccess,
): readonly string[] {
  return [
    access.kind === "load" ? "--approve" : "--no-approve",
    ...(call.model === null ? [] : ["--model", call.model]),
    // The levels of raymond are those of pi, which selects the nearest one of the model.
    ...(call.effort === null ? [] : ["--thinking", call.effort]),
    ...toolArgs(call),
    ...["--session", file],
  ];
}

/**
 * Environment of every call, unless the user sets it: no updates and no downloads during a run (docs/pi.md, "Command
 * line").
 */
export const OFFLINE = { PI_OFFLINE: "1", PI_SKIP_VERSION_CHECK: "1" } as const;
