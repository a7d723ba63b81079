import type { ChildProcess } from "node:child_process";
import { Socket } from "node:net";
import type { Readable } from "node:stream";
import type { ProcessCall, ProcessEnd } from "./process.ts";

/** A child whose output flows to its call and whose end is watched. */
export interface FollowedChild {
  readonly pid: number;
  readonly running: () => boolean;
  readonly exited: Promise<void>;
  /** Exited, and nobody holds its pipes any more. */
  readonly closed: Promise<void>;
  readonly exit: () => Pick<ProcessEnd, "exitCode" | "signal">;
  /** What an output callback has thrown, if one did. */
  readonly bug: () => { readonly error: unknown } | null;
  /** Lets go of the child and its pipes: they hold raymond no longer, nor tell it anything. */
  readonly release: () => void;
}

/**
 * Follows a child from its first moment: to be called in the tick in which it
 * was started, before it can say anything. `onBug` is called when an output
 * callback throws.
 */
export function followChild(
  child: ChildProcess,
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
  const closed = new Promise<void>((resolve) => {
    child.once("close", () => {
      resolve();
    });
  });
  // After the start only a signal that could not be sent is an "error": the ladder sees to that.
  child.on("error", ignore);
  // A child may end, or close its input, without reading it: EPIPE is no error.
  child.stdin?.on("error", ignore).end(call.input ?? "");
  for (const stream of [child.stdout, child.stderr]) stream?.on("error", ignore);
  child.stdout?.on(
    "data",
    guarded((chunk) => {
      call.onStdout(chunk);
    }),
  );
  child.stderr?.on(
    "data",
    guarded((chunk) => {
      call.onStderr(chunk);
    }),
  );

  return {
    pid: child.pid ?? 0,
    running: () => child.exitCode === null && child.signalCode === null,
    exited,
    closed,
    exit: () => ({ exitCode: child.exitCode, signal: child.signalCode }),
    bug: () => bug,
    release() {
      child.unref();
      child.stdin?.destroy();
      for (const stream of [child.stdout, child.stderr]) if (stream !== null) discard(stream);
    },
  };
}

/** Reads on and drops: closing the pipe would kill the background child at its next line of log. */
function discard(stream: Readable): void {
  stream.removeAllListeners("data");
  stream.resume();
  if (stream instanceof Socket) stream.unref();
}

function ignore(): void {
  // See the call.
}
