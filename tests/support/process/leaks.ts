import { readdir, readFile } from "node:fs/promises";
import { until } from "../until.ts";

/** A process that should have ended. */
export interface MarkedProcess {
  readonly pid: number;
  readonly command: string;
}

/** Living processes with `name=value` in their environment. Empty except on Linux. */
export async function markedProcesses(
  name: string,
  value: string,
): Promise<readonly MarkedProcess[]> {
  const entries = await readdir("/proc").catch(() => []);
  const found = await Promise.all(
    entries
      .filter((entry) => /^\d+$/.test(entry) && Number(entry) !== process.pid)
      .map(async (pid) => {
        const variables = (await readProc(pid, "environ")).split("\0");
        if (!variables.includes(`${name}=${value}`)) return [];
        const command = (await readProc(pid, "cmdline")).split("\0").join(" ").slice(0, 200);
        return [{ pid: Number(pid), command }];
      }),
  );
  return found.flat();
}

/** The same after a grace period. Remaining processes are killed. */
export async function endMarked(name: string, value: string): Promise<readonly MarkedProcess[]> {
  const none = async () =>
    (await markedProcesses(name, value)).length === 0 ? ([] as const) : undefined;
  return until("processes to end", none, GONE_MS).catch(async () => {
    const left = await markedProcesses(name, value);
    killMarked(left);
    return left;
  });
}

/** Kills the processes that are still alive. */
export function killMarked(processes: readonly MarkedProcess[]): void {
  for (const { pid } of processes) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has already ended.
    }
  }
}

/** Grace period for processes that are ending on a busy machine. */
export const GONE_MS = 10_000;

async function readProc(pid: string, file: string): Promise<string> {
  return readFile(`/proc/${pid}/${file}`, "latin1").catch(() => "");
}
