import type { ChildProcess } from "node:child_process";
import type { Readable, Writable } from "node:stream";

export interface StartedChild {
  readonly pid: number;
  readonly stdin: Writable | null;
  readonly stdout: Readable | null;
  readonly stderr: Readable | null;
  /** How it ended; null while it is running. */
  readonly exit: () => ChildExit | null;
  readonly exited: Promise<void>;
  /** Signals its process group, or only the process, unless it has ended. */
  readonly signal: (signal: NodeJS.Signals, to: "group" | "process") => void;
  /** Allows raymond to exit before the process. */
  readonly unref: () => void;
}

/** Either the exit code or the signal is null. */
export interface ChildExit {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Nothing of its process group was left. Absent: not known. */
  readonly endedAlone?: boolean;
}

export type Spawned =
  | { readonly ok: true; readonly child: StartedChild }
  | { readonly ok: false; readonly code: string; readonly message: string };

/** Converts a system error. An error without a code is a bug and is thrown. */
export function notSpawned(error: unknown): Spawned {
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
  if (typeof code !== "string") throw error;
  return { ok: false, code, message: String(message) };
}

/** Adapts a child of Node. Must be called in the tick in which it was started. */
export function nodeChild(
  child: ChildProcess,
  { stdout, stderr }: Pick<StartedChild, "stdout" | "stderr"> = child,
): StartedChild {
  const { pid = 0, stdin } = child;
  // After the start, "error" only means that a signal could not be sent.
  child.on("error", () => undefined);
  const running = () => child.exitCode === null && child.signalCode === null;
  return {
    ...{ pid, stdin, stdout, stderr },
    exit: () => (running() ? null : { exitCode: child.exitCode, signal: child.signalCode }),
    exited: new Promise((resolve) => {
      child.once("exit", () => {
        resolve();
      });
    }),
    signal(signal, to) {
      if (!running()) return;
      if (to === "process") {
        child.kill(signal);
        return;
      }
      try {
        process.kill(-pid, signal);
      } catch {
        // The process has just ended.
      }
    },
    unref: () => {
      child.unref();
    },
  };
}
