import { execFile } from "node:child_process";
import { settlesWithin } from "./settles-within.ts";
import type { ProcessTree } from "./tree.ts";
import { systemProgram } from "./windows-system.ts";

/** How taskkill ended: null when it went well, else what it said. */
export type Taskkill = (pid: number) => Promise<string | null>;

/**
 * Ends a process with all that it has started, at once: Windows has nothing
 * politer. Where taskkill cannot, the process itself is ended. Returns why
 * something that it has started may live on, for people; null where nothing does.
 */
export async function endOnWindows(
  tree: ProcessTree,
  taskkill: Taskkill = runTaskkill,
): Promise<string | null> {
  const problem = await taskkill(tree.pid);
  if (problem === null && (await settlesWithin(tree.exited, KILL_MS))) return null;
  // It has ended by itself meanwhile, and taskkill has not found it.
  if (!tree.running()) return null;
  tree.kill();
  const died = await settlesWithin(tree.exited, KILL_MS);
  const why = problem === null ? "it did not die of taskkill" : `taskkill said: ${problem}`;
  return died
    ? `The process ${String(tree.pid)} was ended, but what it has started may live on (${why}).`
    : `The process ${String(tree.pid)} cannot be ended and may live on (${why}).`;
}

/** Ends a process that is not ours, with all that it has started; false where that is not permitted. */
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
