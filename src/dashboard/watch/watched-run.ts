import type { Artifacts } from "../../engine/ports/artifacts.ts";
import type { FleetBoard } from "../../inspect/fleet-board.ts";
import { type NamedRun, runWithId } from "../../wire/stores.ts";
import { serveErrors } from "../server/errors.ts";
import type { ServedFolder } from "../server/served-folder.ts";
import { type Glance, glanceAtFiles } from "./glance.ts";

export interface WatchedRun extends NamedRun {
  readonly artifacts: Artifacts;
  /** A cheap check for changes. Rejects with a RaymondError if the run was deleted. */
  glance(): Promise<Glance>;
}

/** A run of a served folder or fleet; null if there is no such run. */
export async function watchedRun(of: ServedFolder, id: string): Promise<WatchedRun | null> {
  if (of.board !== null) return watchedFleetRun(of.board, id);
  const named = await runWithId(of.root, id, of.caller);
  if (named === null) return null;
  const artifacts = await named.store.artifacts(id);
  return { ...named, artifacts, glance: () => glanceAtFiles({ ...named, artifacts }) };
}

async function watchedFleetRun(board: FleetBoard, id: string): Promise<WatchedRun | null> {
  if ((await board.glance(id)) === null) return null;
  const { store, shown: root } = board.runs;
  const artifacts = await store.artifacts(id);
  const glance = async () => {
    const seen = await board.glance(id);
    if (seen === null) throw serveErrors["serve/no-such-run"](id);
    return seen;
  };
  return { id, root, store, program: "raymond", artifacts, glance };
}
