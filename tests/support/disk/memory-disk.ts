import path from "node:path";
import type { Disk } from "../../../src/storage/disk.ts";
import { wholeText } from "./whole-text.ts";

/** An in-memory disk whose calls yield, so that tests can interleave them. */
export function memoryDisk(turn: () => Promise<void>, now: () => number = () => 0): Disk {
  const files = new Map<string, string>();
  /** Modification times, epoch ms. Hard links share them. */
  const times = new Map<string, number>();
  const refuse = (code: string): never => {
    throw Object.assign(new Error(code), { code });
  };
  const read = (file: string) => files.get(file) ?? refuse("ENOENT");
  const create = (file: string, text: string) => {
    if (files.has(file)) refuse("EEXIST");
    files.set(file, text);
  };
  const call = async <T>(work: () => T): Promise<T> => {
    await turn();
    return work();
  };
  return {
    read: (file) => call(() => Buffer.from(read(file))),
    names: (folder) =>
      call(() =>
        [...files.keys()]
          .filter((file) => path.dirname(file) === folder)
          .map((file) => path.basename(file)),
      ),
    entry: (file) =>
      call(() =>
        files.has(file)
          ? {
              kind: "file" as const,
              owner: 0,
              modifiedAt: new Date(times.get(file) ?? 0),
              stamp: read(file),
            }
          : null,
      ),
    realPath: (file) => call(() => (files.has(file) ? file : null)),
    makeFolder: () => call(() => null),
    write: (file, data) =>
      call(() => {
        create(file, wholeText(data));
        times.set(file, now());
      }),
    link: (file, name) =>
      call(() => {
        create(name, read(file));
        times.set(name, times.get(file) ?? 0);
      }),
    rename: (from, to) =>
      call(() => {
        files.set(to, read(from));
        times.set(to, times.get(from) ?? 0);
        files.delete(from);
      }),
    remove: (file) =>
      call(() => {
        files.delete(file);
      }),
    removeTree: (folder) =>
      call(() => {
        for (const file of files.keys()) if (file.startsWith(folder)) files.delete(file);
      }),
    removeEmptyFolder: () => call(() => undefined),
    syncFolder: () => call(() => undefined),
  };
}
