import { readFileSync, readlinkSync } from "node:fs";
import type { ProcessHost } from "../../engine/ports/process.ts";
import { errorCode } from "../../language/basics/error-code.ts";
import { hasSignalPipe, isPipeIdentity, ownPipeIdentity } from "../children/signal-pipe.ts";
import { processErrors } from "../errors.ts";
import { readStat } from "./proc-table.ts";
import type { ProcessTable } from "./table.ts";

/*
 * A text that identifies a living process, also after reuse of its pid and after a reboot. Null if
 * the process is dead or a zombie.
 */

/** Boot, pid namespace, pid and start. */
export function identityOnLinux(pid: number): Promise<string | null> {
  const stat = readStat(pid);
  // If `/proc` does not show this process either, it proves nothing.
  if (stat === null && readStat(process.pid) === null) return Promise.resolve(identityByPid(pid));
  if (stat === null) return Promise.resolve(null);
  // Each start of a script asks for its identity, and this part never changes.
  space ??= `${bootId()}:${pidNamespace()}`;
  return Promise.resolve(`${space}:${String(pid)}:${stat.startTicks}`);
}

/** Boot and pid namespace of this process; null: not read yet. */
let space: string | null = null;

/** Pid and start. */
export function identityByTable(table: ProcessTable): ProcessHost["identify"] {
  return async (pid) => {
    const started = await table.startTicks([pid, process.pid]);
    // If the table does not show this process, it proves nothing: no process may be presumed dead.
    if (!started.has(process.pid)) throw processErrors["process/no-table"]();
    const at = started.get(pid);
    return at === undefined ? null : `${String(pid)}:${at}`;
  };
}

/**
 * Pid and pipe name (`signal-pipe.ts`), which only this process and holders of the identity know;
 * else the pid alone.
 */
export async function identityOnWindows(pid: number, known: string | null): Promise<string | null> {
  if (known !== null && isPipeIdentity(known)) return (await hasSignalPipe(known)) ? known : null;
  return known === null && pid === process.pid ? ownPipeIdentity() : identityByPid(pid);
}

/** Changes at every boot; empty where unsupported. */
export function bootId(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return "";
  }
}

/** The pid namespace of this process; empty where unsupported. */
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
    // EPERM: the process is alive and belongs to another user.
    return errorCode(error) === "EPERM" ? String(pid) : null;
  }
}
