import { type ChildProcess, spawn } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { isPassingShortage, nextPause } from "./passing-shortage.ts";

/** What is to be run on its own, in a session that no terminal can end. */
export interface DetachedCall {
  /** The program, and its arguments. */
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** All of its standard input; null: none. */
  readonly input: string | null;
  /** A file that is open for its output and its errors. */
  readonly output: number;
  /** How long a shortage of processes, memory or descriptors is waited out, ms. */
  readonly patienceMs?: number;
}

/** How it has begun. */
export type Begun =
  /** It has said that all is well, and how large its output was then (`process.send`). */
  | { readonly ok: true; readonly pid: number; readonly printed: number }
  /** It ended before that; null: killed. */
  | { readonly ok: false; readonly code: number | null }
  /** It could not be started. */
  | { readonly ok: false; readonly problem: Error };

const PATIENCE_MS = 30_000;

/**
 * Starts it, and resolves when it has said so or has ended; in the first case it lives on without this process.
 * Where the system has no room for another process (EAGAIN, EMFILE, ENOMEM) it is tried again for a while.
 */
export async function startDetached(call: DetachedCall): Promise<Begun> {
  const end = performance.now() + (call.patienceMs ?? PATIENCE_MS);
  for (let ms = nextPause(null); ; ms = nextPause(ms)) {
    const begun = await startOnce(call);
    const isShort = "problem" in begun && isPassingShortage(begun.problem);
    if (!isShort || performance.now() + ms > end) return begun;
    await delay(ms);
  }
}

function startOnce({ command, cwd, env, input, output }: DetachedCall): Promise<Begun> {
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
      // Of some shortages, ENOMEM among them, Node throws.
      resolve({ ok: false, problem: problemOf(error) });
      return;
    }
    // The first of these counts; an error may come more than once.
    child.on("error", (error) => {
      resolve({ ok: false, problem: error });
    });
    child.once("message", (printed) => {
      resolve({ ok: true, pid: child.pid ?? 0, printed: Number(printed) || 0 });
      if (child.connected) child.disconnect();
      child.unref();
    });
    child.once("exit", (code) => {
      // What it said before it ended is read until its channel is closed.
      const over = () => {
        resolve({ ok: false, code });
      };
      if (!child.connected) {
        over();
        return;
      }
      const late = setTimeout(over, DRAIN_MS);
      child.once("disconnect", () => {
        clearTimeout(late);
        over();
      });
    });
    // It may end without having read it. Without a process there is no stream.
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(input);
  });
}

/** How long a channel that another process holds is waited for, ms. */
const DRAIN_MS = 1_000;

function problemOf(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
