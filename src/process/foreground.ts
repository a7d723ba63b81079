import { spawn } from "node:child_process";

/** A program that a person uses in the terminal of this process. */
export interface ForegroundCall {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Called once it runs. */
  readonly onStart: (pid: number) => void;
}

/** How it ended; `problem`: why it could not be started. */
export interface ForegroundEnd {
  readonly exitCode: number | null;
  readonly problem: string | null;
}

/**
 * Hands the terminal to a program until it ends. What the terminal sends on Ctrl-C means
 * that program; another signal to this process is passed on to it, so that this one can
 * still do what follows.
 */
export function inForeground(call: ForegroundCall): Promise<ForegroundEnd> {
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
