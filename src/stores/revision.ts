import { errorCode } from "../core/error-code.ts";
import type { LockHolder } from "../ports/store.ts";
import type { Disk } from "./disk.ts";
import { RunTakenError } from "./errors.ts";
import type { RunHome } from "./run-home.ts";

/** Whether a save goes on from the state file that lies there (S6 of `saver.ts`). */
export interface Revision {
  /**
   * Before the file `written` becomes the state file. Rejects with a
   * {@link RunTakenError} where another process has saved the run since `expected`.
   */
  follow(written: string, expected: number): Promise<void>;
  /** It has become the state file, for good. */
  settle(revision: number): void;
}

/**
 * The revision of the run that lives there. `otherHolder` gives who holds the run
 * where that is another process. The state file is read only where it is not
 * the one that was written here last.
 */
export function revisionOf(
  disk: Disk,
  home: RunHome,
  otherHolder: () => Promise<LockHolder | null>,
): Revision {
  let standing: { readonly stamp: string; readonly revision: number } | null = null;
  /** Of the file that was to be the next: where its save has failed, it lies there or does not. */
  let coming: string | null = null;

  const confirm = async (expected: number): Promise<void> => {
    const stamp = await stampOf(disk, home.stateFile);
    // Nobody has saved it, or somebody has removed it: there is nothing to write over.
    if (stamp === null) return;
    if (stamp === coming) standing = { stamp, revision: expected };
    if (standing?.stamp === stamp && standing.revision === expected) return;
    const found = await savedIn(disk, home.stateFile);
    if (found === null || found.revision === expected) return;
    throw new RunTakenError(home.id, { ...found, expected, holder: await otherHolder() });
  };
  return {
    follow: async (written, expected) => {
      await confirm(expected);
      coming = await stampOf(disk, written);
    },
    settle: (revision) => {
      standing = coming === null ? null : { stamp: coming, revision };
      coming = null;
    },
  };
}

/** A file keeps it when it is renamed. */
async function stampOf(disk: Disk, file: string): Promise<string | null> {
  return (await disk.entry(file))?.stamp ?? null;
}

/** Which save of a run lies there, whichever raymond made it; null where there is none. */
async function savedIn(
  disk: Disk,
  file: string,
): Promise<{ readonly revision: number; readonly at: string | null } | null> {
  let json: unknown;
  try {
    json = JSON.parse((await disk.read(file)).toString());
  } catch (error) {
    // What is not JSON was saved by nobody.
    if (error instanceof SyntaxError || errorCode(error) === "ENOENT") return null;
    throw error;
  }
  if (typeof json !== "object" || json === null || !("workflow_id" in json)) return null;
  // Version 1 did not count them.
  const revision = "saves" in json ? json.saves : 0;
  const at = "updated_at" in json && typeof json.updated_at === "string" ? json.updated_at : null;
  return typeof revision === "number" ? { revision, at } : null;
}
