import type { EventEmitter } from "node:events";
import { Socket } from "node:net";
import type { Readable } from "node:stream";
import type { ProcessCall, ProcessEnd } from "../../engine/ports/process.ts";
import type { Spawned } from "./spawned.ts";

/** A child whose output is forwarded and whose end is observed. */
export interface FollowedChild {
  readonly pid: number;
  readonly running: () => boolean;
  readonly exited: Promise<void>;
  /** Kills the process itself, without its descendants. */
  readonly kill: () => void;
  /** Resolves after the exit, when no process holds the pipes. */
  readonly closed: Promise<unknown>;
  readonly exit: () => Pick<ProcessEnd, "exitCode" | "signal">;
  /** The exception of an output callback, if one threw. */
  readonly bug: () => { readonly error: unknown } | null;
  /** Stops listening to the child and its pipes. */
  readonly release: () => void;
}

/**
 * Follows a child. Must be called in the tick in which the child was started, before it can write.
 * `onBug` is called when an output callback throws.
 */
export function followChild(
  { child, stdout, stderr }: Extract<Spawned, { ok: true }>,
  call: ProcessCall,
  onBug: () => void,
): FollowedChild {
  let bug: { readonly error: unknown } | null = null;
  const guarded = (callback: (chunk: Buffer) => void) => (chunk: Buffer) => {
    if (bug !== null) return;
    try {
      callback(chunk);
    } catch (error) {
      bug = { error };
      onBug();
    }
  };
  const exited = new Promise<void>((resolve) => {
    child.once("exit", () => {
      resolve();
    });
  });
  const closed = Promise.all([child, stdout, stderr].map(closing));
  // After the start, "error" only means that a signal could not be sent. A stronger signal follows.
  child.on("error", ignore);
  // A child may end or close its input without reading it: EPIPE is not an error.
  child.stdin?.on("error", ignore).end(call.input ?? "");
  for (const stream of [stdout, stderr]) stream?.on("error", ignore);
  stdout?.on(
    "data",
    guarded((chunk) => {
      call.onStdout(chunk);
    }),
  );
  stderr?.on(
    "data",
    guarded((chunk) => {
      call.onStderr(chunk);
    }),
  );

  return {
    pid: child.pid ?? 0,
    running: () => child.exitCode === null && child.signalCode === null,
    exited,
    kill: () => void child.kill("SIGKILL"),
    closed,
    exit: () => ({ exitCode: child.exitCode, signal: child.signalCode }),
    bug: () => bug,
    release() {
      child.unref();
      child.stdin?.destroy();
      for (const stream of [stdout, stderr]) if (stream !== null) discard(stream);
    },
  };
}

/** Also waits for the pipes of `fifoPool`, unlike the child's own "close". */
function closing(what: EventEmitter | null): Promise<void> {
  return new Promise((resolve) => {
    if (what === null) resolve();
    else what.once("close", resolve);
  });
}

/** Continues reading: closing the pipe would kill a background child at its next write. */
function discard(stream: Readable): void {
  stream.removeAllListeners("data");
  stream.resume();
  if (stream instanceof Socket) stream.unref();
}

function ignore(): void {
  // Ignored.
}
