import path from "node:path";
import type { Store } from "../../engine/ports/store.ts";
import type { RunState } from "../../machine/run-state.ts";
import { locateWorkflow } from "../../scopes/open.ts";
import type { WorkflowCopy } from "../../wire/run-source.ts";
import { systemPlatform } from "../../wire/system/system.ts";
import type { Queries } from "../store/database.ts";
import { fetchWorkflow, type PlacementRow } from "../store/rows/placed-runs.ts";
import { unpackForWorker } from "./packed-workflow.ts";

/** Puts the workflow that was submitted with a run below `folder`, where it does not lie there yet; null of a run that was not submitted. */
export async function localWorkflow(
  run: RunState,
  { workflow, placement }: PlacementRow,
  folder: string,
  { database, store }: { readonly database: Queries; readonly store: Pick<Store, "artifacts"> },
): Promise<WorkflowCopy | null> {
  if (workflow === null) return null;
  const platform = systemPlatform();
  const place = await unpackForWorker(
    folder,
    { ...workflow, kind: run.workflow.kind },
    platform,
    () => fetchWorkflow(database, workflow.hash),
  );
  const located = await locateWorkflow(path.join(place, placement.inside), platform).catch(
    // Of a folder that has no entry of its own, the one that was named is in the run.
    () => locateWorkflow(place, platform, run.workflow.entry),
  );
  return { path: located.path, scopeDir: await located.place(await store.artifacts(run.id)) };
}
