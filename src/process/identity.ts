import { readFileSync, readlinkSync } from "node:fs";
import { errorCode } from "../core/error-code.ts";
import { NoProcessTableError } from "./errors.ts";
import { processTable } from "./platform-table.ts";
import { readStat } from "./proc-table.ts";
import { hasSignalPipe, isPipeIdentity, ownPipeIdentity } from "./signal-pipe.ts";

/**
 * A text that names this living process and no other one, also after its pid
 * is used again and after a reboot: on Linux boot, pid namespace, pid and start;
 * on macOS pid and start; on Windows pid and pipe (`signal-pipe.ts`), which only
 * this process and who knows it already by `known` can tell, else the pid alone.
 * Null when no such process lives; a zombie does not.
 */
export async function processIdentity(
  pid: number,
  platform: NodeJS.Platform = process.platform,
  known: string | null = null,
): Promise<string | null> {
  if (!Number.isInteger(pid) || pid <= 0) return null;
  if (platform === "linux" || platform === "android") {
    if (readStat(process.pid) === null) return identityByPid(pid);
    const stat = readStat(pid);
    if (stat === null) return null;
    return `${bootId()}:${pidNamespace()}:${String(pid)}:${stat.startTicks}`;
  }
  if (platform === "win32") return identityOnWindows(pid, known);
  const started = await processTable(platform).startTicks([pid, process.pid]);
  // Who does not even find itself has not looked: nobody may be taken for dead by that.
  if (!started.has(process.pid)) throw new NoProcessTableError();
  const at = started.get(pid);
  return at === undefined ? null : `${String(pid)}:${at}`;
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

async function identityOnWindows(pid: number, known: string | null): Promise<string | null> {
  if (known !== null && isPipeIdentity(known)) return (await hasSignalPipe(known)) ? known : null;
  return known === null && pid === process.pid ? ownPipeIdentity() : identityByPid(pid);
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
