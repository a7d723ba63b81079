import type { WorkflowId } from "../../language/protocol/address.ts";
import type {
  ResolvedWorkflow,
  ResolvedWorkflows,
} from "../../language/workflow/files/found-workflow.ts";
import type { Platform } from "../../language/workflow/files/platform.ts";
import { type Library, openLibrary } from "../../scopes/library.ts";
import type { WorkflowSource } from "../../scopes/open.ts";
import type { Caller } from "../caller.ts";
import { readSettings } from "../settings.ts";
import { stateRoot } from "../stores.ts";

export interface OtherWorkflows {
  /** Resolves a path that a state of `from` names; null is the workflow itself. */
  readonly find: (from: WorkflowId | null, path: string) => Promise<ResolvedWorkflow>;
  /** The path of a found workflow. */
  readonly place: (workflow: WorkflowId) => string;
}

/**
 * The library of a workflow without a run, with the configured `workflow_path`. Rejects with a
 * RaymondError if the configuration cannot be read.
 */
export async function openOthers(
  { kind, path, home: dir, names, load, pathOf }: WorkflowSource,
  platform: Platform,
  caller: Caller,
): Promise<OtherWorkflows> {
  const { settings } = await readSettings({}, await stateRoot({}, caller), caller);
  const scope = {
    ...{ dir, load, path: pathOf, source: pathOf },
    names: () => Promise.resolve(names),
  };
  const { workflowPath } = settings;
  const started = { kind, path, scope };
  const library: Library = openLibrary({ started, workflowPath, platform, copies: null });
  return library;
}

/** Resolves paths in a workflow without a run. */
export async function findOthers(
  found: WorkflowSource,
  paths: readonly string[],
  platform: Platform,
  caller: Caller,
): Promise<ResolvedWorkflows> {
  const all = new Map<string, ResolvedWorkflow>();
  if (paths.length === 0) return all;
  const others = await openOthers(found, platform, caller);
  for (const one of paths) all.set(one, await others.find(null, one));
  return all;
}
