import path from "node:path";
import type { RunId } from "../core/machine/run-state.ts";
import { runIdProblem } from "../core/run-id.ts";
import type { Claiming, LockHolder, RunSummary, Store } from "../ports/store.ts";
import { processHost } from "../process/host.ts";
import type { LockWorld } from "./claim.ts";
import { type Disk, nodeDisk } from "./disk.ts";
import { orDiskError } from "./errors.ts";
import type { HeldLock } from "./held-lock.ts";
import { type HostIdentity, thisHost } from "./host-identity.ts";
import { loadRun, summarize } from "./loader.ts";
import { claimLock, lockHolder } from "./lock.ts";
import { highest, isLockFile } from "./lock-file.ts";
import { refuseLinkedRun, refuseLinks } from "./refuse-links.ts";
import { prepareRoot } from "./root-folder.ts";
import { artifactsOf, findHome, type RunHome } from "./run-home.ts";
import { removeHalfWritten, type Saver, saver } from "./saver.ts";

/** What the file store needs of the world; each has the real thing as its default. */
export interface FileStoreOptions {
  readonly disk?: Disk;
  readonly place?: HostIdentity;
  /** Id of this process. */
  readonly pid?: number;
  /** Names a living process for ever; null for one that is dead. */
  readonly identify?: LockWorld["identify"];
  readonly now?: () => Date;
}

/**
 * Runs as files (docs/state-file.md). `root` is the `.raymond` folder, which is
 * made on the first write. Rejects with RaymondErrors of `errors.ts`.
 */
export function fileStore(root: string, options: FileStoreOptions = {}): Store {
  const { disk = nodeDisk(), identify = processHost().identify, pid = process.pid } = options;
  const { now = () => new Date() } = options;
  const savers = new Map<string, Promise<Saver>>();
  /** The locks that this process holds, by the real path of the state file. */
  const held = new Map<string, HeldLock>();
  let placing: Promise<HostIdentity> | null = null;

  const world = async () => {
    placing ??= options.place === undefined ? thisHost() : Promise.resolve(options.place);
    return { disk, identify, pid, now, place: await placing };
  };
  const worldOf = async (home: RunHome): Promise<LockWorld> => {
    return { ...(await world()), heardAt: () => heardAt(disk, home) };
  };
  const saverOf = (id: RunId): Promise<Saver> => {
    const known = savers.get(id);
    if (known !== undefined) return known;
    const made = findHome(disk, root, id).then((home) =>
      saver(disk, home, {
        keep: async () => (await held.get(home.stateFile)?.keep()) ?? true,
        otherHolder: async () => {
          const holder = await holderIn(home);
          return holder?.pid === pid && holder.host === (await world()).place.host ? null : holder;
        },
      }),
    );
    savers.set(id, made);
    made.catch(() => savers.delete(id));
    return made;
  };
  const holderIn = async (home: RunHome): Promise<LockHolder | null> => {
    // Of most runs nobody is the holder; where this process lives takes longer to find out.
    const top = await highest(disk, home.folder, home.id);
    if (top === null || top.record.released) return null;
    return lockHolder(await worldOf(home), home.folder, home.id);
  };
  const claim = async (
    id: RunId,
    home: RunHome,
    { takeOver }: Claiming = {},
  ): Promise<HeldLock> => {
    return orDiskError("lock the run in", home.folder, async () => {
      await prepareRoot(disk, home.root);
      await refuseLinks(disk, home);
      const lock = await claimLock(await worldOf(home), home.folder, id, takeOver);
      await removeHalfWritten(disk, home);
      return lock;
    });
  };

  return {
    save: async (run, expected) => (await saverOf(run.id)).save(run, expected),

    load: async (id) => {
      const home = await findHome(disk, root, id);
      return orDiskError("read", home.stateFile, () => loadRun(disk, home));
    },

    sameId: async (id) => {
      const folder = path.join(root, "workflows");
      const ids = await orDiskError("list the runs in", folder, () => runIds(disk, root));
      return ids.find((other) => other.toLowerCase() === id.toLowerCase()) ?? null;
    },

    list: async () => {
      const folder = path.join(root, "workflows");
      return orDiskError("list the runs in", folder, async () => {
        const ids = await runIds(disk, root);
        const found: RunSummary[] = [];
        const seen = new Set<string>();
        for (const id of ids) {
          const home = await findHome(disk, root, id);
          // A link to another run here is not a run of its own.
          if (seen.has(home.stateFile)) continue;
          seen.add(home.stateFile);
          const summary = await summarize(disk, home, holderIn);
          // Here a link to a run elsewhere is known by its own name.
          const known = ids.includes(home.id) ? home.id : id;
          if (summary !== null) found.push({ ...summary, id: known });
        }
        return found.sort(lastStartedFirst);
      });
    },

    lock: async (id, claiming) => {
      const home = await findHome(disk, root, id);
      const lock = await claim(id, home, claiming);
      held.set(home.stateFile, lock);
      return {
        takenFrom: lock.takenFrom,
        release: () => {
          held.delete(home.stateFile);
          return lock.release();
        },
      };
    },

    holder: async (id) => {
      const home = await findHome(disk, root, id);
      return orDiskError("read the lock in", home.folder, () => holderIn(home));
    },

    remove: async (id, claiming) => {
      const home = await findHome(disk, root, id);
      await orDiskError("remove the run in", home.folder, async () => {
        if (!(await exists(disk, home))) return;
        await refuseLinkedRun(disk, root, id, home);
        const lock = await claim(id, home, claiming);
        // What lies on disk is looked at anew, also where only a part goes.
        savers.delete(id);
        try {
          await removeFiles(disk, home);
        } catch (error) {
          await lock.release();
          throw error;
        }
        await lock.removeWithRun();
      });
    },

    artifacts: async (id) => artifactsOf(await findHome(disk, root, id)),
  };
}

/** Ids of the runs that have a state file there, readable or not, in no order. */
export async function runIds(disk: Disk, root: string): Promise<readonly RunId[]> {
  const names = await disk.names(path.join(root, "workflows"));
  const ids = names
    .filter((name) => name.endsWith(".json"))
    .map((name) => name.slice(0, -".json".length));
  return ids.filter((id) => runIdProblem(id) === null);
}

/** When the run's state or its event log was last written. */
async function heardAt(disk: Disk, home: RunHome): Promise<string | null> {
  const entries = await Promise.all(
    [home.stateFile, artifactsOf(home).events].map((file) => disk.entry(file).catch(() => null)),
  );
  const times = entries.flatMap((entry) => (entry === null ? [] : entry.modifiedAt.getTime()));
  return times.length === 0 ? null : new Date(Math.max(...times)).toISOString();
}

async function exists(disk: Disk, home: RunHome): Promise<boolean> {
  const found = await Promise.all([home.stateFile, home.folder].map((each) => disk.entry(each)));
  return found.some((entry) => entry !== null);
}

/** The state file goes first: what is left of a removal that was cut off is no run any more. */
async function removeFiles(disk: Disk, home: RunHome): Promise<void> {
  await disk.remove(home.stateFile);
  const workflows = path.dirname(home.stateFile);
  if ((await disk.entry(workflows)) !== null) await disk.syncFolder(workflows);
  await disk.removeTree(artifactsOf(home).debug);
  for (const name of await disk.names(home.folder)) {
    if (!isLockFile(name)) await disk.removeTree(path.join(home.folder, name));
  }
}

function lastStartedFirst(a: RunSummary, b: RunSummary): number {
  const [one, other] = [begunAt(a), begunAt(b)];
  if (one !== other) return one < other ? 1 : -1;
  return a.id < b.id ? 1 : -1;
}

/** One that does not tell stands where it was changed. */
function begunAt({ startedAt, updatedAt }: RunSummary): string {
  return startedAt ?? updatedAt;
}
