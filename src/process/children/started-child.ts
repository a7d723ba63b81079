import type { ChildProcess } from "node:child_process";
import { Socket } from "node:net";
import type { Readable, Writable } from "node:stream";

export interface StartedChild {
  readonly pid: number;
  readonly stdin: Writable | null;
  readonly stdout: Output | null;
  readonly stderr: Output | null;
  /** How it ended; null while it is running. */
  readonly exit: () => ChildExit | null;
  readonly exited: Promise<void>;
  /** Signals its process group, or only the process, unless it has ended. */
  readonly signal: (signal: NodeJS.Signals, to: "group" | "process") => void;
  /** Allows raymond to exit before the process. */
  readonly unref: () => void;
}

/** What a child writes to one of its outputs. */
export interface Output {
  /** Passes on everything, also what has arrived before. */
  read(onChunk: (chunk: Buffer) => void): void;
  /** Resolves at the end of file. */
  readonly closed: Promise<void>;
  /**
   * Reads the rest without passing it on: closing the pipe would kill a background child at its next
   * write. raymond can exit meanwhile.
   */
  discard(): void;
}

/** Either the exit code or the signal is null. */
export interface ChildExit {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
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
  { stdout, stderr }: Readonly<Record<"stdout" | "stderr", Readable | null>> = child,
): StartedChild {
  const { pid = 0, stdin } = child;
  // After the start, "error" only means that a signal could not be sent.
  child.on("error", () => undefined);
  const running = () => child.exitCode === null && child.signalCode === null;
  return {
    ...{ pid, stdin, stdout: stdout && outputOf(stdout), stderr: stderr && outputOf(stderr) },
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

function outputOf(stream: Readable): Output {
  stream.on("error", () => undefined);
  return {
    read(onChunk) {
      stream.on("data", onChunk);
    },
    closed: new Promise((resolve) => {
      stream.once("close", () => {
        resolve();
      });
    }),
    discard() {
      stream.removeAllListeners("data");
      stream.resume();
      if (stream instanceof Socket) stream.unref();
    },
  };
}
