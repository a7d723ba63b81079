import { stat } from "node:fs/promises";
import type { Artifacts } from "../../engine/ports/artifacts.ts";
import type { FleetGlance } from "../../inspect/fleet-board.ts";
import { errorCode } from "../../language/basics/error-code.ts";
import { type NamedRun, runWithId } from "../../wire/stores.ts";
import { serveErrors } from "../server/errors.ts";
import type { ServedFolder } from "../server/served-folder.ts";

export interface WatchedRun extends NamedRun {
  readonly artifacts: Artifacts;
  /** A cheap check for changes. Rejects with a RaymondError if the run was deleted. */
  glance(): Promise<FleetGlance>;
}

/** A run of a served folder or fleet; null if there is no such run. */
export async function watchedRun(
  { board, root, caller }: ServedFolder,
  id: string,
): Promise<WatchedRun | null> {
  if (board === null) {
    const named = await runWithId(root, id, caller);
    if (named === null) return null;
    const artifacts = await named.store.artifacts(id);
    return { ...named, artifacts, glance: () => glanceAtFiles({ ...named, artifacts }) };
  }
  if ((await board.glance(id)) === null) return null;
  const { store } = board.runs;
  const glance = async () => {
    const row = await board.glance(id);
    if (row === null) throw serveErrors["serve/no-such-run"](id);
    return row;
  };
  return { id, root, store, program: "raymond", artifacts: await store.artifacts(id), glance };
}

/** Checks the modification times of the files of a run. */
export async function glanceAtFiles(
  of: NamedRun & { readonly stateFile: string; readonly artifacts: Artifacts },
): Promise<FleetGlance> {
  const { id, store, stateFile, artifacts } = of;
  const holder = await store.holder(id);
  // A process may log its last events after its last save.
  const logs = holder === null ? [artifacts.events] : [];
  const files = await Promise.all([stateFile, artifacts.answers, ...logs].map(fileStamp));
  const signature = JSON.stringify([files, holder?.pid, holder?.startedAt, holder?.visible]);
  return { holder, signature, isExpected: false, place: null };
}

/** Changes when the file changes; null if there is no file. */
export async function fileStamp(file: string): Promise<string | null> {
  try {
    const { ino, size, mtimeNs } = await stat(file, { bigint: true });
    return `${String(ino)} ${String(size)} ${String(mtimeNs)}`;
  } catch (error) {
    if (errorCode(error) === null) throw error;
    return null;
  }
}
