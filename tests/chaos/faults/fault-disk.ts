import { appendFileSync, writeFileSync } from "node:fs";
import type { Disk } from "../../../src/storage/disk.ts";
import { wholeText } from "../../support/disk/whole-text.ts";

/** The call that fails: `#17:EIO` is the 17th call, `write#3:ENOSPC` the third write. */
export const FAULT_VARIABLE = "RAYMOND_FAULT";
/** Log file for the failed call. */
export const FAULT_LOG_VARIABLE = "RAYMOND_FAULT_LOG";

const FAULT = /^(\w*)#(\d+):(\w+)$/;

/**
 * A disk on which the call in the environment fails. Later calls succeed. A failed write writes the first half of
 * the data.
 */
export function faultDisk(real: Disk, env: Readonly<Record<string, string | undefined>>): Disk {
  const [, only = "", number = "", code = ""] = FAULT.exec(env[FAULT_VARIABLE] ?? "") ?? [];
  if (code === "") return real;
  let calls = 0;
  const turn = (name: string, path: string, data = "") => {
    if (only !== "" && only !== name) return;
    calls += 1;
    if (calls !== Number(number)) return;
    const log = env[FAULT_LOG_VARIABLE];
    if (log !== undefined) appendFileSync(log, `${name} ${path}\n`);
    const half = data.slice(0, data.length / 2);
    if (half !== "") writeFileSync(path, half, { flag: "wx", mode: 0o600 });
    throw Object.assign(new Error(`${code}: ${name} '${path}'`), { code });
  };
  const call =
    <T>(name: string, work: (path: string) => Promise<T>) =>
    async (path: string): Promise<T> => {
      turn(name, path);
      return work(path);
    };
  return {
    read: call("read", (path) => real.read(path)),
    names: call("names", (folder) => real.names(folder)),
    entry: call("entry", (path) => real.entry(path)),
    realPath: call("realPath", (path) => real.realPath(path)),
    makeFolder: call("makeFolder", (path) => real.makeFolder(path)),
    write: async (path, data) => {
      turn("write", path, wholeText(data));
      await real.write(path, data);
    },
    link: (path, name) => call("link", () => real.link(path, name))(path),
    rename: (from, to) => call("rename", () => real.rename(from, to))(from),
    remove: call("remove", (path) => real.remove(path)),
    removeTree: call("removeTree", (path) => real.removeTree(path)),
    removeEmptyFolder: call("removeEmptyFolder", (path) => real.removeEmptyFolder(path)),
    syncFolder: call("syncFolder", (path) => real.syncFolder(path)),
  };
}
