import type { Scope } from "../../engine/ports/scope.ts";
import type { RunState } from "../../machine/run-state.ts";
import { type Library, openLibrary } from "../../scopes/library.ts";
import { systemPlatform } from "../system/system.ts";

/** The library of a run that is only looked at: `scope` is that of its workflow now, `copies` where it keeps those that it has entered. */
export function openedLibrary(
  { workflow, scopeDir: dir, settings }: RunState,
  scope: Scope,
  copies: string,
): Library {
  return openLibrary({
    // Changes since the start were reported by the library of the run.
    started: { ...workflow, scope: { ...scope, dir } },
    workflowPath: settings.workflowPath,
    platform: systemPlatform(),
    copies,
  });
}
