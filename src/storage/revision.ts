import type { LockHolder } from "../engine/ports/store.ts";
import { errorCode } from "../language/basics/error-code.ts";
import type { Disk } from "./disk.ts";
import { storageErrors } from "./errors.ts";
import type { RunHome } from "./run-home.ts";

/** Checks that a save replaces the state file that it is based on (S6 of `saver.ts`). */
export interface Revision {
  /**
   * Called before the file `written` becomes the state file. Rejects with `store/run-taken` if another process has saved
   * the run since `expected`.
   */
  check(written: string, expected: number): Promise<void>;
  /** The file has become the state file. */
  commit(revision: number): void;
}

/** `otherHolder`: the holder of the run if it is another process. Reads the state file only if it is not our last one. */
export function revisionOf(
  disk: Disk,
  home: RunHome,
  otherHolder: () => Promise<LockHolder | null>,
): Revision {
  let current: { readonly stamp: string; readonly revision: number } | null = null;
  /** Stamp of the file of a save in progress. After a failed save it may or may not be the state file. */
  let pending: string | null = null;

  const confirm = async (expected: number): Promise<void> => {
    const stamp = await stampOf(disk, home.stateFile);
    // The file does not exist: nothing can be overwritten.
    if (stamp === null) return;
    if (stamp === pending) current = { stamp, revision: expected };
    if (current?.stamp === stamp && current.revision === expected) return;
    const found = await savedIn(disk, home.stateFile);
    if (found === null || found.revision === expected) return;
    throw storageErrors["store/run-taken"](home.id, {
      ...found,
      expected,
      holder: await otherHolder(),
    });
  };
  return {
    check: async (written, expected) => {
      await confirm(expected);
      pending = await stampOf(disk, written);
    },
    commit: (revision) => {
      current = pending === null ? null : { stamp: pending, revision };
      pending = null;
    },
  };
}

/** A rename keeps the stamp of a file. */
async function stampOf(disk: Disk, file: string): Promise<string | null> {
  return (await disk.entry(file))?.stamp ?? null;
}

/** The revision in a state file of any version; null if there is none. */
async function savedIn(
  disk: Disk,
  file: string,
): Promise<{ readonly revision: number; readonly at: string | null } | null> {
  let json: unknown;
  try {
    json = JSON.parse((await disk.read(file)).toString());
  } catch (error) {
    // raymond did not write this file.
    if (error instanceof SyntaxError || errorCode(error) === "ENOENT") return null;
    throw error;
  }
  if (typeof json !== "object" || json === null || !("workflow_id" in json)) return null;
  const revision = "saves" in json ? json.saves : null;
  const at = "updated_at" in json && typeof json.updated_at === "string" ? json.updated_at : null;
  return typeof revision === "number" ? { revision, at } : null;
}
