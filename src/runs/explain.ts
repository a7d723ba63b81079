import path from "node:path";
import { type Explanation, explain as explainOutline } from "../core/explain/explain.ts";
import { type Caller, thisProcess } from "./caller.ts";
import { readOutline } from "./outline.ts";
import { workflowSettings } from "./wire/manifest.ts";
import { readSettings } from "./wire/settings.ts";
import { type Place, stateRoot } from "./wire/stores.ts";
import { systemPlatform } from "./wire/system.ts";
import { findSource } from "./wire/workflow.ts";

export interface ExplainOptions extends Place {
  /** The current folder, where none is named. */
  readonly workflow?: string | undefined;
}

/** A workflow in sentences, by its name, and what it says of itself. */
export interface Explained extends Explanation {
  readonly workflow: string;
  readonly description: string | null;
}

/** What a workflow does, and would cost, if it were run here now. Rejects with a RaymondError. */
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
  return {
    workflow: name ?? path.basename(found.path),
    description,
    ...explainOutline(outline, settings),
  };
}
