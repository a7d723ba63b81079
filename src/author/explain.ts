import path from "node:path";
import {
  type Explanation,
  explainEntered,
  explain as explainOutline,
  usedStates,
} from "../analysis/explain/explain.ts";
import { readOutline } from "../inspect/outline.ts";
import { type Outline, writtenPaths } from "../language/outline/outline.ts";
import { type WorkflowId, workflowName } from "../language/protocol/address.ts";
import type { Manifest } from "../language/workflow/files/manifest.ts";
import type { RunSettings } from "../machine/model/run-state.ts";
import { findAgent } from "../wire/agents/agents.ts";
import { type Caller, thisProcess } from "../wire/caller.ts";
import { openOthers } from "../wire/engine/other-workflows.ts";
import { workflowSettings } from "../wire/manifest.ts";
import { readSettings } from "../wire/settings.ts";
import { type Place, stateRoot } from "../wire/stores.ts";
import { systemPlatform } from "../wire/system/system.ts";
import { findSource } from "../wire/workflow.ts";

export interface ExplainOptions extends Place {
  /** Default: the current folder. */
  readonly workflow?: string | undefined;
}

export interface Explained extends Explanation {
  readonly workflow: string;
  readonly description: string | null;
  /** The workflows that it can enter, directly or through others. */
  readonly workflows: readonly ExplainedWorkflow[];
}

export interface ExplainedWorkflow extends Pick<Explanation, "states"> {
  readonly workflow: string;
  readonly description: string | null;
}

/** Describes a workflow and its cost with the current settings. Rejects with a RaymondError. */
export async function explain(
  { workflow = ".", ...place }: ExplainOptions,
  caller: Caller = thisProcess(),
): Promise<Explained> {
  const { found, source } = await findSource(workflow, caller);
  const outline = await readOutline(source, systemPlatform(), found.entry);
  const { name, description, ...manifest } = await found.manifest();
  const root = await stateRoot(place, caller);
  const said = workflowSettings({ name, description, ...manifest });
  const { settings } = await readSettings({}, root, caller, said);
  const explained = { ...settings, ...declaredBy(manifest) };
  const { read, unread } = await readEntered(found, outline, caller);
  return {
    workflow: name ?? path.basename(found.path),
    description,
    ...explainOutline(outline, explained, { outlines: read.map((one) => one.outline), unread }),
    workflows: read.map((one) => explainOther(one, settings)),
  };
}

interface OtherOutline {
  readonly id: WorkflowId;
  readonly outline: Outline;
  readonly manifest: Manifest;
}

const MOST_WORKFLOWS = 100;

/** The workflows that a run can enter, and paths that only a run can resolve. */
async function readEntered(
  found: Awaited<ReturnType<typeof findSource>>["found"],
  outline: Outline,
  caller: Caller,
): Promise<{ readonly read: readonly OtherOutline[]; readonly unread: readonly string[] }> {
  const read = new Map<WorkflowId, OtherOutline>();
  const unread = new Set<string>();
  if (writtenPaths(usedStates(outline)).length === 0) return { read: [], unread: [] };
  const platform = systemPlatform();
  const others = await openOthers(found, platform, caller);
  const queue: { readonly from: WorkflowId | null; readonly outline: Outline }[] = [
    { from: null, outline },
  ];
  for (const one of queue) {
    for (const written of writtenPaths(usedStates(one.outline))) {
      const other = await others.find(one.from, written);
      if (!other.ok || read.size >= MOST_WORKFLOWS) {
        unread.add(written);
        continue;
      }
      const { workflow: id, state } = other.entry;
      if (id === null || read.has(id)) continue;
      const { found: there, source } = await findSource(others.place(id), caller);
      const inside = await readOutline(source, platform, state);
      read.set(id, { id, outline: inside, manifest: await there.manifest() });
      queue.push({ from: id, outline: inside });
    }
  }
  return { read: [...read.values()], unread: [...unread] };
}

function declaredBy({ env, permissions, sandbox }: Omit<Manifest, "name" | "description">) {
  return {
    ...{ workflowEnv: env, workflowPermissions: permissions, workflowSandbox: sandbox },
    levelsOf: (agent: string) => findAgent(agent)?.levels ?? null,
  };
}

function explainOther(
  { id, outline, manifest }: OtherOutline,
  settings: RunSettings,
): ExplainedWorkflow {
  return {
    workflow: workflowName(id),
    description: manifest.description,
    states: explainEntered(outline, { ...settings, ...declaredBy(manifest) }),
  };
}
