import path from "node:path";
import type { RunState } from "../core/machine/run-state.ts";
import type { Store } from "../ports/store.ts";
import type { CopiedWorkflow } from "../runs/caller.ts";
import { systemPlatform } from "../runs/wire/system.ts";
import { locateWorkflow } from "../scopes/open.ts";
import type { Queries } from "../stores/postgres/database.ts";
import { fetchWorkflow, type PlacementRow } from "../stores/postgres/placed-runs.ts";
import { placeForWorker } from "./packed-workflow.ts";

/** Puts the workflow that was submitted with a run below `folder`, where it does not lie there yet; null of a run that was not submitted. */
export async function workflowHere(
  run: RunState,
  { workflow, placement }: PlacementRow,
  folder: string,
  { database, store }: { readonly database: Queries; readonly store: Pick<Store, "artifacts"> },
): Promise<CopiedWorkflow | null> {
  if (workflow === null) return null;
  const platform = systemPlatform();
  const place = await placeForWorker(
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
