import { spawn } from "node:child_process";

/** An interactive program in this process's terminal. */
export interface ForegroundCall {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The complete environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly onStart: (pid: number) => void;
}

/** `problem`: why the program could not be started. */
export interface ForegroundEnd {
  readonly exitCode: number | null;
  readonly problem: string | null;
}

/**
 * Gives the terminal to a program until it ends. Ctrl-C reaches the program from the terminal.
 * Other signals to this process are forwarded to it, so that this process can still clean up.
 */
export function runInForeground(call: ForegroundCall): Promise<ForegroundEnd> {
  const { command, args, cwd, env, onStart } = call;
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd, env, stdio: "inherit" });
    const listeners = SIGNALS.map((signal) => {
      const pass = () => {
        if (signal !== "SIGINT") child.kill(signal);
      };
      process.on(signal, pass);
      return () => void process.off(signal, pass);
    });
    const end = (ended: ForegroundEnd) => {
      for (const stop of listeners) stop();
      resolve(ended);
    };
    child.once("spawn", () => {
      if (child.pid !== undefined) onStart(child.pid);
    });
    child.once("error", (error) => {
      end({ exitCode: null, problem: error.message });
    });
    child.once("close", (exitCode) => {
      end({ exitCode, problem: null });
    });
  });
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
