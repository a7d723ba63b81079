import path from "node:path";
import { errorCode } from "../core/error-code.ts";
import type { RunState } from "../core/machine/run-state.ts";
import type { LockHolder } from "../ports/store.ts";
import type { Disk } from "./disk.ts";
import { orDiskError } from "./errors.ts";
import type { Payloads } from "./payload.ts";
import { printRun } from "./print-run.ts";
import { revisionOf } from "./revision.ts";
import { makeDurableFolder, prepareRoot } from "./root-folder.ts";
import { artifactsOf, type RunHome } from "./run-home.ts";
import { writeAtomically } from "./write-atomically.ts";

/*
 * How a run comes to disk:
 *
 * S1  A reader finds the state file of one save, whole: it is written beside,
 *     fsynced, and moved over the old one.
 * S2  When a save resolves, it survives a power loss: the folder is fsynced too.
 * S3  What a state file refers to is on disk before it: payloads come first, and
 *     those that it no longer names are removed last.
 * S4  Saves of a run reach the disk in the order in which they were asked for.
 * S5  A save that fails leaves the one before as it was, and the next one can
 *     succeed.
 * S6  A save replaces only the state file that it goes on from, by its revision:
 *     looked at last of all before the name changes, whatever the lock has said.
 */

/** Writes the state of one run, again and again, and remembers what lies on disk. */
export interface Saver {
  /** Rejects with a {@link DiskError}, or where the run is another's by now. */
  save(run: RunState, expected: number): Promise<void>;
}

/** What a saver asks of the lock. */
export interface Ownership {
  /**
   * Before each save: rejects where the run is not ours to write any more, and is
   * false where the run's own folder was disturbed.
   */
  readonly keep: () => Promise<boolean>;
  /** Who holds the run, where that is another process. */
  readonly otherHolder: () => Promise<LockHolder | null>;
}

/** The saver of the run that lives there. */
export function saver(disk: Disk, home: RunHome, { keep, otherHolder }: Ownership): Saver {
  const revision = revisionOf(disk, home, otherHolder);
  const folder = path.dirname(home.stateFile);
  const { payloads: payloadFolder } = artifactsOf(home);
  let ready = false;
  let known: Payloads = new Map();
  /** Names in the folder of payloads, whole or not; null: not looked at yet. */
  let lying: ReadonlySet<string> | null = null;
  /** Whether this process has saved: what its steps are handed lies there as well from then on. */
  let begun = false;
  /** Whether the folder of payloads survives a power loss. */
  let placed = false;
  let last: Promise<void> = Promise.resolve();

  async function prepare(): Promise<void> {
    await prepareRoot(disk, home.root);
    await makeDurableFolder(disk, folder);
    await removeHalfWritten(disk, home);
    ready = true;
  }

  async function write(run: RunState, expected: number): Promise<void> {
    if (!ready) await prepare();
    if (!(await keep())) lying = null;
    const { text, payloads } = printRun(run, known);
    const looked = lying !== null;
    lying ??= new Set(
      (await disk.names(payloadFolder)).filter((name) => !begun || OURS.test(name)),
    );
    lying = await writePayloads(payloads, lying, looked);
    await writeAtomically(disk, home.stateFile, text, (written) =>
      revision.follow(written, expected),
    );
    await disk.syncFolder(folder);
    revision.settle(run.saves);
    begun = true;
    known = payloads;
    // The run is saved. What could not be removed now is looked for again at the next save.
    lying = await removeOthers(payloads, lying).catch(() => null);
  }

  async function writePayloads(
    payloads: Payloads,
    before: ReadonlySet<string>,
    looked: boolean,
  ): Promise<ReadonlySet<string>> {
    const added = [...payloads].filter(([, { file }]) => !before.has(path.basename(file)));
    // Who wrote those that lie there may have died before their names were sure to stay.
    if (added.length === 0 && (looked || payloads.size === 0)) return before;
    if (!placed) await makeDurableFolder(disk, payloadFolder);
    placed = true;
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
    const wanted = new Set([...payloads.values()].map(({ file }) => path.basename(file)));
    for (const name of before) {
      if (!wanted.has(name)) await disk.remove(path.join(payloadFolder, name));
    }
    return wanted;
  }

  async function attempt(run: RunState, expected: number): Promise<void> {
    try {
      await write(run, expected);
    } catch (error) {
      lying = null;
      // Somebody has removed the folder. What is saved is whole, so it can be made anew.
      if (errorCode(error) !== "ENOENT" || !ready) throw error;
      ready = false;
      placed = false;
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

/** Long texts, whole or half-written. */
const OURS = /^(?:[0-9a-f]{64}\.txt|\..*\.tmp)$/;

/** Removes what a crash has left half-written. */
export async function removeHalfWritten(disk: Disk, { id, stateFile }: RunHome): Promise<void> {
  const folder = path.dirname(stateFile);
  const halfWritten = new RegExp(`^\\.${id}\\.json\\.[0-9a-f-]+\\.tmp$`);
  for (const name of await disk.names(folder)) {
    if (halfWritten.test(name)) await disk.remove(path.join(folder, name));
  }
}
