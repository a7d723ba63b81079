import { readFileSync, readlinkSync } from "node:fs";
import { errorCode } from "../core/error-code.ts";
import type { ProcessHost } from "../ports/process.ts";
import { NoProcessTableError } from "./errors.ts";
import { readStat } from "./proc-table.ts";
import { hasSignalPipe, isPipeIdentity, ownPipeIdentity } from "./signal-pipe.ts";
import type { ProcessTable } from "./table.ts";

/*
 * A text that names a living process and no other one, also after its pid is used
 * again and after a reboot. Null when no such process lives; a zombie does not.
 */

/** Boot, pid namespace, pid and start. */
export function identityOnLinux(pid: number): Promise<string | null> {
  if (readStat(process.pid) === null) return Promise.resolve(identityByPid(pid));
  const stat = readStat(pid);
  return Promise.resolve(
    stat === null ? null : `${bootId()}:${pidNamespace()}:${String(pid)}:${stat.startTicks}`,
  );
}

/** Pid and start. */
export function identityByTable(table: ProcessTable): ProcessHost["identify"] {
  return async (pid) => {
    const started = await table.startTicks([pid, process.pid]);
    // Who does not even find itself has not looked: nobody may be taken for dead by that.
    if (!started.has(process.pid)) throw new NoProcessTableError();
    const at = started.get(pid);
    return at === undefined ? null : `${String(pid)}:${at}`;
  };
}

/** Pid and pipe (`signal-pipe.ts`), which only this process and who knows it already can tell; else the pid alone. */
export async function identityOnWindows(pid: number, known: string | null): Promise<string | null> {
  if (known !== null && isPipeIdentity(known)) return (await hasSignalPipe(known)) ? known : null;
  return known === null && pid === process.pid ? ownPipeIdentity() : identityByPid(pid);
}

/** Changes at every boot; empty where the platform does not tell. */
export function bootId(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return "";
  }
}

/** Our own namespace: it is the one in which a pid means something. Empty where there is none. */
export function pidNamespace(): string {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return "";
  }
}

function identityByPid(pid: number): string | null {
  try {
    process.kill(pid, 0);
    return String(pid);
  } catch (error) {
    // EPERM: it lives, and belongs to somebody else.
    return errorCode(error) === "EPERM" ? String(pid) : null;
  }
}
