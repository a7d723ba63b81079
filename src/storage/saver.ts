import path from "node:path";
import type { LockHolder } from "../engine/ports/store.ts";
import { errorCode } from "../language/basics/error-code.ts";
import type { RunState } from "../machine/run-state.ts";
import type { Payloads } from "./codec/payload.ts";
import { printRun } from "./codec/print-run.ts";
import { type Disk, writeAtomically } from "./disk.ts";
import { orDiskError, storageErrors } from "./errors.ts";
import { makeDurableFolder, prepareRoot } from "./root-folder.ts";
import { artifactsOf, type RunHome } from "./run-home.ts";

/*
 * Saving a run:
 *
 * S1  Saves are atomic: a temporary file is written, fsynced and renamed, so a reader finds the state file of one save.
 * S2  When a save resolves, it survives a power loss: the folder is fsynced too.
 * S3  Payloads are written before the state file that references them, and deleted after the first one that does not.
 * S4  Saves of a run reach the disk in the order of the calls.
 * S5  A failed save leaves the previous one unchanged, and the next save can succeed.
 * S6  A save replaces only the state file that it is based on, by its revision. This is checked immediately before the
 *     rename, independent of the lock.
 */

/** Saves one run repeatedly, and remembers which payloads are on disk. */
export interface Saver {
  /** Rejects with `store/disk`, or `store/run-taken` if another process owns the run now. */
  save(run: RunState, expected: number): Promise<void>;
}

/** The saver's view of the lock. */
export interface Ownership {
  /** Called before each save. Rejects if the run is no longer ours. False: the run's folder was changed from outside. */
  readonly ensureHeld: () => Promise<boolean>;
  /** The holder of the run, if it is another process. */
  readonly otherHolder: () => Promise<LockHolder | null>;
}

export function saver(
  disk: Disk,
  home: RunHome,
  { ensureHeld: keep, otherHolder }: Ownership,
): Saver {
  const revision = revisionOf(disk, home, otherHolder);
  const folder = path.dirname(home.stateFile);
  const { payloads: payloadFolder } = artifactsOf(home);
  let ready = false;
  let lastPayloads: Payloads = new Map();
  /** Names in the payload folder, including partial files; null: unknown. */
  let stored: ReadonlySet<string> | null = null;
  /** Whether this process has saved. From then on the folder also contains files for its steps. */
  let saved = false;
  /** Whether the payload folder is durable. */
  let folderReady = false;
  let last: Promise<void> = Promise.resolve();

  async function prepare(): Promise<void> {
    await prepareRoot(disk, home.root);
    await makeDurableFolder(disk, folder);
    await removePartialFiles(disk, home);
    ready = true;
  }

  async function write(run: RunState, expected: number): Promise<void> {
    if (!ready) await prepare();
    if (!(await keep())) stored = null;
    const { text, payloads } = printRun(run, lastPayloads);
    const isKnown = stored !== null;
    stored ??= new Set(
      (await disk.names(payloadFolder)).filter((name) => !saved || PAYLOAD_FILE.test(name)),
    );
    stored = await writePayloads(payloads, stored, isKnown);
    await writeAtomically(disk, home.stateFile, text, (written) =>
      revision.check(written, expected),
    );
    await disk.syncFolder(folder);
    revision.commit(run.saves);
    saved = true;
    lastPayloads = payloads;
    // The run is saved. The next save retries a failed removal.
    stored = await removeOthers(payloads, stored).catch(() => null);
  }

  async function writePayloads(
    payloads: Payloads,
    before: ReadonlySet<string>,
    isKnown: boolean,
  ): Promise<ReadonlySet<string>> {
    const added = [...payloads].filter(([, { file }]) => !before.has(path.basename(file)));
    // The writer of the existing files may have died before its fsync of the folder.
    if (added.length === 0 && (isKnown || payloads.size === 0)) return before;
    if (!folderReady) await makeDurableFolder(disk, payloadFolder);
    folderReady = true;
    for (const [text, { file }] of added) {
      await writeAtomically(disk, path.join(home.folder, file), text);
    }
    await disk.syncFolder(payloadFolder);
    return new Set([...before, ...added.map(([, { file }]) => path.basename(file))]);
  }

  async function removeOthers(
    payloads: Payloads,
    before: ReadonlySet<string>,
  ): Promise<ReadonlySet<string>> {
    if (before.size === 0) return before;
    const used = new Set([...payloads.values()].map(({ file }) => path.basename(file)));
    for (const name of before) {
      if (!used.has(name)) await disk.remove(path.join(payloadFolder, name));
    }
    return used;
  }

  async function attempt(run: RunState, expected: number): Promise<void> {
    try {
      await write(run, expected);
    } catch (error) {
      stored = null;
      // The folder was deleted. A save contains the whole state, so the folder can be created again.
      if (errorCode(error) !== "ENOENT" || !ready) throw error;
      ready = false;
      folderReady = false;
      await write(run, expected);
    }
  }

  return {
    save: (run, expected) => {
      const mine = last.then(() => attempt(run, expected));
      last = mine.catch(() => undefined);
      return orDiskError("save the run in", home.stateFile, () => mine);
    },
  };
}

/** Payload files, complete or partial. */
const PAYLOAD_FILE = /^(?:[0-9a-f]{64}\.txt|\..*\.tmp)$/;

/** Deletes temporary files of a crashed process. */
export async function removePartialFiles(disk: Disk, { id, stateFile }: RunHome): Promise<void> {
  const folder = path.dirname(stateFile);
  const temporary = new RegExp(`^\\.${id}\\.json\\.[0-9a-f-]+\\.tmp$`);
  for (const name of await disk.names(folder)) {
    if (temporary.test(name)) await disk.remove(path.join(folder, name));
  }
}

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
