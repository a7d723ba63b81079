import { type ChildProcess, spawn } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { isTransientShortage, nextDelay } from "../transient-shortage.ts";

/** A program to run in its own session, independent of this terminal. */
export interface DetachedCall {
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** The complete standard input; null: none. */
  readonly input: string | null;
  /** Open file descriptor for standard output and standard error. */
  readonly output: number;
  /** How long to retry during a shortage of processes, memory or descriptors, ms. */
  readonly patienceMs?: number;
}

export type DetachedStart =
  /** The process reported success and the size of its output so far (`process.send`). */
  | { readonly ok: true; readonly pid: number; readonly printed: number }
  /** The process ended first; null: killed. */
  | { readonly ok: false; readonly code: number | null }
  | { readonly ok: false; readonly problem: Error };

const PATIENCE_MS = 30_000;

/**
 * Starts the program and resolves when it reports success or ends. After success it runs
 * independently of this process. Retries for a while if the system has no room for another process
 * (EAGAIN, EMFILE, ENOMEM).
 */
export async function startDetached(call: DetachedCall): Promise<DetachedStart> {
  const end = performance.now() + (call.patienceMs ?? PATIENCE_MS);
  for (let ms = nextDelay(null); ; ms = nextDelay(ms)) {
    const started = await startOnce(call);
    const isShort = "problem" in started && isTransientShortage(started.problem);
    if (!isShort || performance.now() + ms > end) return started;
    await delay(ms);
  }
}

function startOnce({ command, cwd, env, input, output }: DetachedCall): Promise<DetachedStart> {
  const [program = "", ...args] = command;
  return new Promise((resolve) => {
    let child: ChildProcess;
    try {
      child = spawn(program, args, {
        ...{ cwd, env },
        detached: true,
        windowsHide: true,
        stdio: [input === null ? "ignore" : "pipe", output, output, "ipc"],
      });
    } catch (error) {
      // For some shortages, such as ENOMEM, Node throws.
      resolve({ ok: false, problem: problemOf(error) });
      return;
    }
    // The first event counts; an error may be emitted more than once.
    child.on("error", (error) => {
      resolve({ ok: false, problem: error });
    });
    child.once("message", (printed) => {
      resolve({ ok: true, pid: child.pid ?? 0, printed: Number(printed) || 0 });
      if (child.connected) child.disconnect();
      child.unref();
    });
    child.once("exit", (code) => {
      // Messages sent before the exit are read until the channel closes.
      const finish = () => {
        resolve({ ok: false, code });
      };
      if (!child.connected) {
        finish();
        return;
      }
      const late = setTimeout(finish, DRAIN_MS);
      child.once("disconnect", () => {
        clearTimeout(late);
        finish();
      });
    });
    // The process may end without reading its input. Without a process there is no stream.
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(input);
  });
}

/** How long to wait for a channel that another process holds, ms. */
const DRAIN_MS = 1_000;

function problemOf(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
