import { execFile } from "node:child_process";
import { settlesWithin } from "../settles-within.ts";
import type { ProcessTree } from "../terminate.ts";
import { systemProgram } from "./windows-system.ts";

/** Runs taskkill; null on success, else its message. */
export type Taskkill = (pid: number) => Promise<string | null>;

/**
 * Ends a process and its descendants at once: Windows has nothing gentler. If taskkill fails, kills
 * only the process itself. Returns a warning if descendants may survive, else null.
 */
export async function endOnWindows(
  tree: ProcessTree,
  taskkill: Taskkill = runTaskkill,
): Promise<string | null> {
  const problem = await taskkill(tree.pid);
  if (problem === null && (await settlesWithin(tree.exited, KILL_MS))) return null;
  // Already ended, so that taskkill did not find it.
  if (!tree.running()) return null;
  tree.signal("SIGKILL", "process");
  const died = await settlesWithin(tree.exited, KILL_MS);
  const why = problem === null ? "it survived taskkill" : `taskkill said: ${problem}`;
  return died
    ? `The process ${String(tree.pid)} was terminated, but its child processes may still be running (${why}).`
    : `The process ${String(tree.pid)} could not be terminated and may still be running (${why}).`;
}

/** Kills a foreign process and its descendants; false if not permitted. */
export async function killOnWindows(pid: number): Promise<boolean> {
  if ((await runTaskkill(pid)) === null) return true;
  try {
    process.kill(pid, "SIGKILL");
    return true;
  } catch {
    return false;
  }
}

function runTaskkill(pid: number): Promise<string | null> {
  const args = ["/T", "/F", "/PID", String(pid)];
  return new Promise((resolve) => {
    execFile(
      systemProgram("taskkill.exe"),
      args,
      { windowsHide: true, timeout: KILL_MS },
      (error, stdout, stderr) => {
        resolve(error === null ? null : firstLine(stderr) || firstLine(stdout) || error.message);
      },
    );
  });
}

function firstLine(text: string): string {
  return text.trim().split(/\r?\n/)[0] ?? "";
}

const KILL_MS = 5_000;
