import { type Disk, nodeDisk } from "../../../src/storage/disk.ts";

/** A disk on which one call fails with a system error. Later calls succeed. */
export interface FailingDisk {
  readonly disk: Disk;
  /** The number of calls. */
  calls(): number;
}

/** The real disk whose `nth` call (from 1) fails with this code. */
export function failingDisk(nth: number, code: string): FailingDisk {
  let count = 0;
  const step = () => {
    count += 1;
    if (count === nth) throw Object.assign(new Error(`${code}: refused`), { code });
  };
  const real = nodeDisk();
  const call = async <T>(work: () => Promise<T>): Promise<T> => {
    step();
    return work();
  };
  const disk: Disk = {
    read: (path) => call(() => real.read(path)),
    names: (folder) => call(() => real.names(folder)),
    entry: (path) => call(() => real.entry(path)),
    realPath: (path) => call(() => real.realPath(path)),
    makeFolder: (path) => call(() => real.makeFolder(path)),
    write: (path, data) => call(() => real.write(path, data)),
    link: (path, name) => call(() => real.link(path, name)),
    rename: (from, to) => call(() => real.rename(from, to)),
    remove: (path) => call(() => real.remove(path)),
    removeTree: (path) => call(() => real.removeTree(path)),
    removeEmptyFolder: (path) => call(() => real.removeEmptyFolder(path)),
    syncFolder: (path) => call(() => real.syncFolder(path)),
  };
  return { disk, calls: () => count };
}
