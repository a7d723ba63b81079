import { stat } from "node:fs/promises";
import { errorCode } from "../core/error-code.ts";
import type { Artifacts } from "../ports/artifacts.ts";
import type { LockHolder } from "../ports/store.ts";
import type { RunPlace } from "../runs/fleet-board.ts";
import type { NamedRun } from "../runs/wire/stores.ts";

/** What tells whether a run is to be read anew. */
export interface Glance {
  readonly holder: LockHolder | null;
  /** A worker of its fleet is to take it. */
  readonly isExpected: boolean;
  /** Of a run of a fleet; null of any other. */
  readonly place: RunPlace | null;
  /** The same text, the same sight. */
  readonly signature: string;
}

/** By the dates of its files. */
export async function glanceAtFiles(
  of: NamedRun & { readonly stateFile: string; readonly artifacts: Artifacts },
): Promise<Glance> {
  const { id, store, stateFile, artifacts } = of;
  const holder = await store.holder(id);
  // What it tells last comes behind its last save.
  const told = holder === null ? [artifacts.events] : [];
  const files = await Promise.all([stateFile, artifacts.answers, ...told].map(stampOf));
  const signature = JSON.stringify([files, holder?.pid, holder?.startedAt, holder?.visible]);
  return { holder, signature, isExpected: false, place: null };
}

/** Changes when a file does; null where there is none. */
export async function stampOf(file: string): Promise<string | null> {
  try {
    const { ino, size, mtimeNs } = await stat(file, { bigint: true });
    return `${String(ino)} ${String(size)} ${String(mtimeNs)}`;
  } catch (error) {
    if (errorCode(error) === null) throw error;
    return null;
  }
}
