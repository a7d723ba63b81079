import { stat } from "node:fs/promises";
import type { Artifacts } from "../../engine/ports/artifacts.ts";
import type { LockHolder } from "../../engine/ports/store.ts";
import type { RunPlace } from "../../inspect/fleet-board.ts";
import { errorCode } from "../../language/basics/error-code.ts";
import type { NamedRun } from "../../wire/stores.ts";

/** The result of a cheap check of a run. */
export interface Glance {
  readonly holder: LockHolder | null;
  /** Whether a worker of its fleet is about to claim it. */
  readonly isExpected: boolean;
  /** Null unless the run belongs to a fleet. */
  readonly place: RunPlace | null;
  /** Changes whenever the run must be read again. */
  readonly signature: string;
}

/** Checks the modification times of the files of a run. */
export async function glanceAtFiles(
  of: NamedRun & { readonly stateFile: string; readonly artifacts: Artifacts },
): Promise<Glance> {
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
