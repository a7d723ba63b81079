import type { RunState } from "../../core/machine/run-state.ts";
import type { Scope } from "../../ports/scope.ts";
import { type Library, openLibrary } from "../../scopes/library.ts";
import { systemPlatform } from "./system.ts";

/** The library of a run that is only looked at: `scope` is that of its workflow now, `copies` where it keeps those that it has entered. */
export function openedLibrary(
  { workflow, scopeDir: dir, settings }: RunState,
  scope: Scope,
  copies: string,
): Library {
  return openLibrary({
    // What is told of its folder was told of the one that the run has.
    started: { ...workflow, scope: { ...scope, dir } },
    workflowPath: settings.workflowPath,
    platform: systemPlatform(),
    copies,
  });
}
