import type { Platform } from "../../language/workflow/files/platform.ts";
import { type Library, openLibrary } from "../../scopes/library.ts";
import type { WorkflowSource } from "../../scopes/workflow-source.ts";
import type { Caller } from "../caller.ts";
import { readSettings } from "../settings.ts";
import { stateRoot } from "../stores.ts";

/**
 * The library of a workflow without a run, with the configured `workflow_path`. Rejects with a
 * RaymondError if the configuration cannot be read.
 */
export async function openOthers(
  { kind, path, home: dir, names, manifest, load, schemas, schema, pathOf }: WorkflowSource,
  platform: Platform,
  caller: Caller,
): Promise<Library> {
  const { settings } = await readSettings({}, await stateRoot({}, caller), caller);
  const scope = {
    ...{ dir, load, schema, path: pathOf, source: pathOf },
    names: () => Promise.resolve(names),
    schemas: () => Promise.resolve(schemas),
  };
  const { workflowPath } = settings;
  const started = { kind, path, scope, manifest };
  return openLibrary({ started, workflowPath, platform, copies: null });
}
