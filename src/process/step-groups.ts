import * as fs from "node:fs";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { errorCode } from "../core/error-code.ts";
import { LIMITS, readTextFile } from "../files/read-file.ts";
import type { StartProcess } from "../ports/process.ts";
import type { ProcessPlatform } from "./platform.ts";
import { recordFile, recordFiles, type WhichSteps } from "./step-records.ts";

/*
 * The process groups of a run's steps, a small file each while they live. What a
 * crash leaves is found by them also where no environment is shown: that of the
 * system's own programs on macOS, that of a program which was started without one.
 * Nothing waits for the disk: what a power loss takes, it takes with its processes.
 *
 * G1. A group is ours while one process lives that was seen in it as ours: by more
 *     than its pid, so that neither a reuse of the pid nor a reboot is mistaken.
 * G2. A group whose leader has ended is written down anew with those who are left
 *     in it then. The number cannot be another group's while one of them lives.
 */

// Every step of a script asks, and `node:fs/promises` takes longer to load.
const mkdir = promisify(fs.mkdir);
const unlink = promisify(fs.unlink);
const writeFile = promisify(fs.writeFile);

/** How a Unix sees processes. */
type Seen = Pick<ProcessPlatform, "table" | "identify">;

/** `start` that writes down in `folder` which groups live. What the disk refuses is not written. */
export function recordGroups(start: StartProcess, folder: string, seen: Seen): StartProcess {
  return (call) => {
    const file = recordFile(folder, call.token);
    let group: number | null = null;
    let begun: Promise<void> = Promise.resolve();
    const running = start({
      ...call,
      onStart: (pid) => {
        call.onStart?.(pid);
        group = pid;
        begun = write(file, pid, [pid], seen);
      },
    });
    const finish = async (): Promise<void> => {
      if (group === null) return;
      // A file that comes later would bring back a folder that was taken away when the run ended.
      await begun;
      if (isEmpty(group)) {
        void remove(file);
        return;
      }
      await write(file, group, await membersOf(group, seen), seen);
    };
    return { ...running, done: running.done.finally(finish) };
  };
}

/** The groups in this folder that are still the run's, of these steps. */
export async function livingGroups(
  folder: string,
  which: WhichSteps,
  identify: Seen["identify"],
): Promise<readonly number[]> {
  const files = await recordFiles(folder, which);
  const found = await Promise.all(files.map((file) => livingGroup(file, identify)));
  return found.filter((group) => group !== null);
}

interface GroupRecord {
  readonly group: number;
  /** Those that were seen in it, by their identities. */
  readonly members: Readonly<Record<string, string>>;
}

async function livingGroup(file: string, identify: Seen["identify"]): Promise<number | null> {
  const record = parseRecord(await readTextFile(file, LIMITS.small).catch(() => ""));
  if (record === null) return null;
  for (const [pid, identity] of Object.entries(record.members)) {
    const alive = await identify(Number(pid), null).catch(() => null);
    if (alive === identity) return record.group;
  }
  return null;
}

/** A group without members is removed: G1 can never hold for it. */
async function write(
  file: string,
  group: number,
  pids: readonly number[],
  { identify }: Seen,
): Promise<void> {
  const members: Record<string, string> = {};
  for (const pid of pids) {
    const identity = await identify(pid, null).catch(() => null);
    // One that is the pid alone says nothing.
    if (identity !== null && identity !== String(pid)) members[String(pid)] = identity;
  }
  if (Object.keys(members).length === 0) return remove(file);
  const record: GroupRecord = { group, members };
  const text = `${JSON.stringify(record)}\n`;
  // By the pool: a file is made or removed slowly while the disk writes its journal.
  const make = () => writeFile(file, text, { mode: 0o600 });
  await make()
    .catch(async (error: unknown) => {
      // A full disk is told by the save that it breaks.
      if (errorCode(error) !== "ENOENT") return;
      await mkdir(dirname(file), { recursive: true, mode: 0o700 });
      await make();
    })
    .catch(() => undefined);
}

/** One that stays behind names dead processes, which harms nobody. */
async function remove(file: string): Promise<void> {
  await unlink(file).catch(() => undefined);
}

/** Whether nobody is left in the group of a leader that has ended. */
function isEmpty(group: number): boolean {
  try {
    process.kill(-group, 0);
    return false;
  } catch (error) {
    return errorCode(error) === "ESRCH";
  }
}

/** Those who are left; none where the leader's pid lives: then both are another's by now. */
async function membersOf(group: number, { table }: Seen): Promise<readonly number[]> {
  const rows = await table.rows(process.pid);
  const pids = rows.filter((row) => row.group === group).map(({ pid }) => pid);
  return pids.includes(group) ? [] : pids;
}

function parseRecord(text: string): GroupRecord | null {
  try {
    const { group, members } = JSON.parse(text) as Partial<Record<keyof GroupRecord, unknown>>;
    if (!Number.isInteger(group) || typeof members !== "object" || members === null) return null;
    return { group: group as number, members: members as GroupRecord["members"] };
  } catch {
    return null;
  }
}
