import path from "node:path";
import type { ClaimOptions, LockHolder, RunSummary, Store } from "../engine/ports/store.ts";
import { runIdProblem } from "../machine/model/run-id.ts";
import type { RunId } from "../machine/model/run-state.ts";
import { processHost } from "../process/platform/host.ts";
import { loadRun, summarize } from "./codec/loader.ts";
import { type Disk, nodeDisk } from "./disk.ts";
import { orDiskError } from "./errors.ts";
import { type HostIdentity, thisHost } from "./lock/host-identity.ts";
import { claimLock, type HeldLock, type LockEnvironment, lockHolder } from "./lock/lock.ts";
import { isLockFile, latestGeneration } from "./lock/lock-file.ts";
import { refuseLinkedPlaces, refuseLinkedState, refuseLinks } from "./refuse-links.ts";
import { prepareRoot } from "./root-folder.ts";
import { artifactsOf, findHome, type RunHome } from "./run-home.ts";
import { removePartialFiles, Saver } from "./saver.ts";

/** Environment of the file store. Default: the real one. */
export interface FileStoreOptions {
  readonly disk?: Disk;
  readonly place?: HostIdentity;
  readonly pid?: number;
  /** As in {@link LockEnvironment}. */
  readonly identify?: LockEnvironment["identify"];
  readonly now?: () => Date;
}

/** Runs as files (docs/state-file.md). `root`: the `.raymond` folder, created on the first write. Rejects with `storageErrors`. */
export function fileStore(root: string, options: FileStoreOptions = {}): Store {
  const { disk = nodeDisk(), identify = processHost().identify, pid = process.pid } = options;
  const { now = () => new Date() } = options;
  const savers = new Map<string, Promise<Saver>>();
  /** The locks that this process holds, by the real path of the state file. */
  const held = new Map<string, HeldLock>();
  let host: Promise<HostIdentity> | null = null;

  const world = async () => {
    host ??= options.place === undefined ? thisHost() : Promise.resolve(options.place);
    return { disk, identify, pid, now, place: await host };
  };
  const worldOf = async (home: RunHome): Promise<LockEnvironment> => {
    return { ...(await world()), lastActivityAt: () => lastActivityAt(disk, home) };
  };
  const saverOf = (id: RunId): Promise<Saver> => {
    const known = savers.get(id);
    if (known !== undefined) return known;
    const made = findHome(disk, root, id).then(
      (home) =>
        new Saver(disk, home, {
          ensureHeld: async () => (await held.get(home.stateFile)?.ensureHeld()) ?? true,
          otherHolder: async () => {
            const holder = await holderIn(home);
            return holder?.pid === pid && holder.host === (await world()).place.host
              ? null
              : holder;
          },
        }),
    );
    savers.set(id, made);
    made.catch(() => savers.delete(id));
    return made;
  };
  const holderIn = async (home: RunHome): Promise<LockHolder | null> => {
    // Most runs are not locked, and finding out the host identity takes longer.
    const top = await latestGeneration(disk, home.folder, home.id);
    if (top === null || top.record.released) return null;
    return lockHolder(await worldOf(home), home.folder, home.id);
  };
  const claim = async (
    id: RunId,
    home: RunHome,
    { takeOver }: ClaimOptions = {},
  ): Promise<HeldLock> => {
    return orDiskError("lock the run in", home.folder, async () => {
      await prepareRoot(disk, home.root);
      await refuseLinkedPlaces(disk, root, [path.join(root, "workflows")]);
      await refuseLinks(disk, home);
      const lock = await claimLock(await worldOf(home), home.folder, id, takeOver);
      await removePartialFiles(disk, home);
      return lock;
    });
  };

  return {
    save: async (run, expected) => (await saverOf(run.id)).save(run, expected),

    load: async (id) => {
      const home = await findHome(disk, root, id);
      return orDiskError("read", home.stateFile, () => loadRun(disk, home));
    },

    findIdIgnoringCase: async (id) => {
      const ids = await runIds(disk, root);
      return ids.find((other) => other.toLowerCase() === id.toLowerCase()) ?? null;
    },

    list: async () => {
      const ids = await runIds(disk, root);
      const found: RunSummary[] = [];
      const seen = new Set<string>();
      for (const id of ids) {
        const home = await findHome(disk, root, id);
        // A link to another run of this folder.
        if (seen.has(home.stateFile)) continue;
        seen.add(home.stateFile);
        const summary = await summarize(disk, home, holderIn);
        // A link to a run elsewhere is listed by the name of the link.
        const known = ids.includes(home.id) ? home.id : id;
        if (summary !== null) found.push({ ...summary, id: known });
      }
      return found.sort(newestFirst);
    },

    lock: async (id, claiming) => {
      const home = await findHome(disk, root, id);
      const lock = await claim(id, home, claiming);
      held.set(home.stateFile, lock);
      return {
        previousHolder: lock.previousHolder,
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
        await refuseLinkedState(disk, root, id);
        const lock = await claim(id, home, claiming);
        // The next save must check the disk again, even if the removal fails half-way.
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

/** Ids of the runs with a state file, readable or not, unordered. */
export async function runIds(disk: Disk, root: string): Promise<readonly RunId[]> {
  const folder = path.join(root, "workflows");
  const names = await orDiskError("list the runs in", folder, () => disk.names(folder));
  return names
    .filter((name) => name.endsWith(".json"))
    .map((name) => path.basename(name, ".json"))
    .filter((id) => runIdProblem(id) === null);
}

/** The last write of the run's state or event log, ISO 8601. */
async function lastActivityAt(disk: Disk, home: RunHome): Promise<string | null> {
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

/** The state file first: the rest of an interrupted removal is no run. */
async function removeFiles(disk: Disk, home: RunHome): Promise<void> {
  await disk.remove(home.stateFile);
  const workflows = path.dirname(home.stateFile);
  if ((await disk.entry(workflows)) !== null) await disk.syncFolder(workflows);
  await disk.removeTree(artifactsOf(home).debug);
  for (const name of await disk.names(home.folder)) {
    if (!isLockFile(name)) await disk.removeTree(path.join(home.folder, name));
  }
}

function newestFirst(a: RunSummary, b: RunSummary): number {
  const [one, other] = [startTime(a), startTime(b)];
  if (one !== other) return one < other ? 1 : -1;
  return a.id < b.id ? 1 : -1;
}

/** An unreadable run has no start time. */
function startTime({ startedAt, updatedAt }: RunSummary): string {
  return startedAt ?? updatedAt;
}
