import * as fs from "node:fs";
import { dirname } from "node:path";
import type { StartProcess } from "../engine/ports/process.ts";
import { LIMITS, readTextFile } from "../files/read-file.ts";
import { errorCode } from "../language/basics/error-code.ts";
import { isJsonObject, parseJson } from "../language/basics/json-object.ts";
import type { ProcessPlatform } from "./platform/platform.ts";
import { recordFile, recordFiles, type StepFilter } from "./step-records.ts";

/*
 * The process groups of a run's steps, one small file per running group. They find orphan processes
 * also where the environment is hidden: system programs on macOS, and programs that were started
 * without environment. Writes are not synced: a power loss ends the processes too. Where the
 * environment of most programs is visible, only groups that live for some time are recorded: writing
 * and removing the file would take a tenth of the time of a short script.
 * G1  A group belongs to the run while one process in it is alive that was recorded as a member
 *     with its identity, so that neither pid reuse nor a reboot causes a mistake.
 * G2  When the leader has ended, the group is recorded again with its remaining members. The group
 *     id cannot be reused while one of them is alive.
 */

type ProcessView = Pick<ProcessPlatform, "table" | "identify">;

/**
 * Wraps `start` so that groups that live longer than `delayMs` are recorded in `folder`. Write errors
 * are ignored.
 */
export function recordGroups(
  start: StartProcess,
  folder: string,
  view: ProcessView,
  delayMs: number,
): StartProcess {
  return (call) => {
    const file = recordFile(folder, call.token);
    let group: number | null = null;
    let timer: NodeJS.Timeout | undefined;
    let written: Promise<void> | null = null;
    const running = start({
      ...call,
      onStart: (pid) => {
        call.onStart?.(pid);
        group = pid;
        const record = () => {
          written = write(file, pid, [pid], view);
        };
        if (delayMs === 0) record();
        else timer = setTimeout(record, delayMs);
      },
    });
    const finish = async (): Promise<void> => {
      clearTimeout(timer);
      if (group === null) return;
      // A late write would create the folder again after the run has deleted it.
      await written;
      if (!isEmpty(group)) {
        await write(file, group, await membersOf(group, view), view);
      } else if (written !== null) remove(file);
    };
    const done = running.done.then(
      async (end) => {
        await finish();
        return end;
      },
      async (error: unknown) => {
        await finish();
        throw error;
      },
    );
    return { ...running, done };
  };
}

/** The recorded groups of these steps that still belong to the run. */
export async function livingGroups(
  folder: string,
  which: StepFilter,
  identify: ProcessView["identify"],
): Promise<readonly number[]> {
  const files = recordFiles(folder, which);
  const found = await Promise.all(files.map((file) => livingGroup(file, identify)));
  return found.filter((group) => group !== null);
}

interface GroupRecord {
  readonly group: number;
  /** Identities by pid. */
  readonly members: Readonly<Record<string, string>>;
}

async function livingGroup(
  file: string,
  identify: ProcessView["identify"],
): Promise<number | null> {
  const record = parseRecord(await readTextFile(file, LIMITS.small).catch(() => ""));
  if (record === null) return null;
  for (const [pid, identity] of Object.entries(record.members)) {
    const alive = await identify(Number(pid), null).catch(() => null);
    if (alive === identity) return record.group;
  }
  return null;
}

/** Removes the record of a group without members: G1 can never hold for it. */
async function write(
  file: string,
  group: number,
  pids: readonly number[],
  { identify }: ProcessView,
): Promise<void> {
  const members: Record<string, string> = {};
  for (const pid of pids) {
    const identity = await identify(pid, null).catch(() => null);
    // A pid alone identifies nothing.
    if (identity !== null && identity !== String(pid)) members[String(pid)] = identity;
  }
  if (Object.keys(members).length === 0) {
    remove(file);
    return;
  }
  const record: GroupRecord = { group, members };
  // Synchronous: the way through the thread pool costs more, and the script is already running.
  const make = () => {
    fs.writeFileSync(file, `${JSON.stringify(record)}\n`, { mode: 0o600 });
  };
  try {
    makeWithFolder(make, dirname(file));
  } catch {
    // The next save reports a full disk.
  }
}

function makeWithFolder(make: () => void, folder: string): void {
  try {
    make();
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
    make();
  }
}

/** A stale record names dead processes, which is harmless. */
function remove(file: string): void {
  try {
    fs.unlinkSync(file);
  } catch {
    // It does not exist.
  }
}

/** Whether the group of a dead leader is empty. */
function isEmpty(group: number): boolean {
  try {
    process.kill(-group, 0);
    return false;
  } catch (error) {
    return errorCode(error) === "ESRCH";
  }
}

/**
 * The remaining members. None if the leader's pid is alive: then pid and group belong to other
 * processes.
 */
async function membersOf(group: number, { table }: ProcessView): Promise<readonly number[]> {
  const rows = await table.rows(process.pid);
  const pids = rows.filter((row) => row.group === group).map(({ pid }) => pid);
  return pids.includes(group) ? [] : pids;
}

function parseRecord(text: string): GroupRecord | null {
  const record = parseJson(text);
  if (!isJsonObject(record)) return null;
  const { group, members } = record;
  if (!Number.isInteger(group) || typeof members !== "object" || members === null) return null;
  return { group: group as number, members: members as GroupRecord["members"] };
}
