import type { FoundWorkflow, FoundWorkflows } from "../../core/workflow/found-workflow.ts";
import type { Platform } from "../../core/workflow/platform.ts";
import { openLibrary } from "../../scopes/library.ts";
import type { Found } from "../../scopes/open.ts";
import type { Caller } from "../caller.ts";
import { readSettings } from "./settings.ts";
import { stateRoot } from "./stores.ts";

/**
 * What these paths mean in a workflow that no run has started, with the folders
 * of `workflow_path` that are configured here. Rejects with a RaymondError where
 * the configuration cannot be read.
 */
export async function findOthers(
  { kind, path, home: dir, names, load, pathOf }: Found,
  paths: readonly string[],
  platform: Platform,
  caller: Caller,
): Promise<FoundWorkflows> {
  const found = new Map<string, FoundWorkflow>();
  if (paths.length === 0) return found;
  const { settings } = await readSettings({}, await stateRoot({}, caller), caller);
  const scope = {
    ...{ dir, load, path: pathOf, source: pathOf },
    names: () => Promise.resolve(names),
  };
  const { workflowPath } = settings;
  const library = openLibrary({
    started: { kind, path, scope },
    workflowPath,
    platform,
    copies: null,
  });
  for (const one of paths) found.set(one, await library.find(null, one));
  return found;
}
