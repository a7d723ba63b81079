import type { Artifacts } from "../ports/artifacts.ts";
import type { FleetBoard } from "../runs/fleet-board.ts";
import { type NamedRun, runWithId } from "../runs/wire/stores.ts";
import { RunGoneError } from "./errors.ts";
import { type Glance, glanceAtFiles } from "./glance.ts";
import type { ServedFolder } from "./served-folder.ts";

export interface WatchedRun extends NamedRun {
  readonly artifacts: Artifacts;
  /** Tells whether there is anything new, without reading it. Rejects with a RaymondError where the run is gone. */
  glance(): Promise<Glance>;
}

/** A run of what is served, to be watched; null where there is no such run. */
export async function watchedRun(of: ServedFolder, id: string): Promise<WatchedRun | null> {
  if (of.board !== null) return watchedThere(of.board, id);
  const named = await runWithId(of.root, id, of.caller);
  if (named === null) return null;
  const artifacts = await named.store.artifacts(id);
  return { ...named, artifacts, glance: () => glanceAtFiles({ ...named, artifacts }) };
}

async function watchedThere(board: FleetBoard, id: string): Promise<WatchedRun | null> {
  if ((await board.glance(id)) === null) return null;
  const { store, shown: root } = board.runs;
  const artifacts = await store.artifacts(id);
  const glance = async () => {
    const seen = await board.glance(id);
    if (seen === null) throw new RunGoneError(id);
    return seen;
  };
  return { id, root, store, program: "raymond", artifacts, glance };
}
