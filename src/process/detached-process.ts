import { spawn } from "node:child_process";

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
}

/** How it has begun. */
export type Begun =
  /** It has said that all is well, and how large its output was then (`process.send`). */
  | { readonly ok: true; readonly pid: number; readonly printed: number }
  /** It ended before that, or could not be started; null: killed. */
  | { readonly ok: false; readonly code: number | null };

/** Starts it, and resolves when it has said so or has ended; in the first case it lives on without this process. */
export function startDetached(call: DetachedCall): Promise<Begun> {
  const { command, cwd, env, input, output } = call;
  const [program = "", ...args] = command;
  const child = spawn(program, args, {
    ...{ cwd, env },
    detached: true,
    windowsHide: true,
    stdio: [input === null ? "ignore" : "pipe", output, output, "ipc"],
  });
  // It may end without having read it.
  child.stdin?.on("error", () => undefined);
  child.stdin?.end(input);
  return new Promise((resolve) => {
    child.once("message", (printed) => {
      child.disconnect();
      child.unref();
      resolve({ ok: true, pid: child.pid ?? 0, printed: Number(printed) });
    });
    child.once("error", () => {
      resolve({ ok: false, code: null });
    });
    child.once("exit", (code) => {
      resolve({ ok: false, code });
    });
  });
}
