import path from "node:path";
import type { LockHolder } from "../engine/ports/store.ts";
import { errorCode } from "../language/basics/error-code.ts";
import { parseBoundedJson } from "../language/basics/json-object.ts";
import type { RunState } from "../machine/model/run-state.ts";
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

/** The saver's view of the lock. */
export interface Ownership {
  /** Called before each save. Rejects if the run is no longer ours. False: the run's folder was changed from outside. */
  readonly ensureHeld: () => Promise<boolean>;
  /** The holder of the run, if it is another process. */
  readonly otherHolder: () => Promise<LockHolder | null>;
}

/** Saves one run repeatedly, and remembers which payloads are on disk. */
export class Saver {
  readonly #disk: Disk;
  readonly #home: RunHome;
  readonly #lock: Ownership;
  readonly #revision: Revision;
  readonly #payloadFolder: string;
  /** Whether the folders of the run exist and are durable. */
  #ready = false;
  #payloadFolderReady = false;
  #lastPayloads: Payloads = new Map();
  /** Names in the payload folder, including partial files; null: unknown. */
  #stored: ReadonlySet<string> | null = null;
  /** Whether this process has saved. From then on the folder also contains files for its steps. */
  #saved = false;
  #last: Promise<void> = Promise.resolve();

  constructor(disk: Disk, home: RunHome, lock: Ownership) {
    this.#disk = disk;
    this.#home = home;
    this.#lock = lock;
    this.#revision = new Revision(disk, home, lock);
    this.#payloadFolder = artifactsOf(home).payloads;
  }

  /** Rejects with `store/disk`, or `store/run-taken` if another process owns the run now. */
  save(run: RunState, expected: number): Promise<void> {
    const mine = this.#last.then(() => this.#attempt(run, expected));
    this.#last = mine.catch(() => undefined);
    return orDiskError("save the run in", this.#home.stateFile, () => mine);
  }

  async #attempt(run: RunState, expected: number): Promise<void> {
    try {
      await this.#write(run, expected);
    } catch (error) {
      this.#stored = null;
      // The folder was deleted. A save contains the whole state, so the folder can be created again.
      if (errorCode(error) !== "ENOENT" || !this.#ready) throw error;
      this.#ready = false;
      this.#payloadFolderReady = false;
      await this.#write(run, expected);
    }
  }

  async #write(run: RunState, expected: number): Promise<void> {
    const { stateFile } = this.#home;
    if (!this.#ready) await this.#prepare();
    if (!(await this.#lock.ensureHeld())) this.#stored = null;
    const { parts, payloads } = printRun(run, this.#lastPayloads);
    const stored = await this.#writePayloads(payloads);
    // While a save of several agents waits for the disk, more of their steps end and share the next save.
    const alone = run.agents.length === 1;
    const confirm = (written: string) => this.#revision.check(written, expected);
    await writeAtomically(this.#disk, stateFile, parts, confirm, alone);
    await this.#disk.syncFolder(path.dirname(stateFile), alone);
    this.#revision.commit(run.saves);
    this.#saved = true;
    this.#lastPayloads = payloads;
    // The run is saved. The next save retries a failed removal.
    this.#stored = await this.#removeOthers(payloads, stored).catch(() => null);
  }

  async #prepare(): Promise<void> {
    await prepareRoot(this.#disk, this.#home.root);
    await makeDurableFolder(this.#disk, path.dirname(this.#home.stateFile));
    await removePartialFiles(this.#disk, this.#home);
    this.#ready = true;
  }

  /** Returns the names in the payload folder. */
  async #writePayloads(payloads: Payloads): Promise<ReadonlySet<string>> {
    const isKnown = this.#stored !== null;
    const before = this.#stored ?? (await this.#storedNames());
    const added = [...payloads].filter(([, { file }]) => !before.has(path.basename(file)));
    // The writer of the existing files may have died before its fsync of the folder.
    if (added.length === 0 && (isKnown || payloads.size === 0)) return before;
    if (!this.#payloadFolderReady) await makeDurableFolder(this.#disk, this.#payloadFolder);
    this.#payloadFolderReady = true;
    for (const [text, { file }] of added) {
      await writeAtomically(this.#disk, path.join(this.#home.folder, file), text);
    }
    await this.#disk.syncFolder(this.#payloadFolder);
    return new Set([...before, ...added.map(([, { file }]) => path.basename(file))]);
  }

  async #storedNames(): Promise<ReadonlySet<string>> {
    const names = await this.#disk.names(this.#payloadFolder);
    return new Set(names.filter((name) => !this.#saved || PAYLOAD_FILE.test(name)));
  }

  async #removeOthers(
    payloads: Payloads,
    before: ReadonlySet<string>,
  ): Promise<ReadonlySet<string>> {
    if (before.size === 0) return before;
    const used = new Set([...payloads.values()].map(({ file }) => path.basename(file)));
    for (const name of before) {
      if (!used.has(name)) await this.#disk.remove(path.join(this.#payloadFolder, name));
    }
    return used;
  }
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

/** Checks that a save replaces the state file that it is based on (S6). Reads that file only if it is not our last one. */
class Revision {
  readonly #disk: Disk;
  readonly #home: RunHome;
  readonly #lock: Ownership;
  #current: { readonly stamp: string; readonly revision: number } | null = null;
  /** Stamp of the file of a save in progress. After a failed save it may or may not be the state file. */
  #pending: string | null = null;

  constructor(disk: Disk, home: RunHome, lock: Ownership) {
    this.#disk = disk;
    this.#home = home;
    this.#lock = lock;
  }

  /**
   * Called before the file `written` becomes the state file. Rejects with `store/run-taken` if another process has saved
   * the run since `expected`.
   */
  async check(written: string, expected: number): Promise<void> {
    await this.#confirm(expected);
    this.#pending = await stampOf(this.#disk, written);
  }

  /** The file has become the state file. */
  commit(revision: number): void {
    this.#current = this.#pending === null ? null : { stamp: this.#pending, revision };
    this.#pending = null;
  }

  async #confirm(expected: number): Promise<void> {
    const { id, stateFile } = this.#home;
    const stamp = await stampOf(this.#disk, stateFile);
    // The file does not exist: nothing can be overwritten.
    if (stamp === null) return;
    if (stamp === this.#pending) this.#current = { stamp, revision: expected };
    if (this.#current?.stamp === stamp && this.#current.revision === expected) return;
    const found = await savedIn(this.#disk, stateFile);
    if (found === null || found.revision === expected) return;
    const holder = await this.#lock.otherHolder();
    throw storageErrors["store/run-taken"](id, { ...found, expected, holder });
  }
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
    json = parseBoundedJson((await disk.read(file)).toString());
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
