import type { EventEmitter } from "node:events";
import { Socket } from "node:net";
import type { Readable } from "node:stream";
import type { ProcessCall, ProcessEnd } from "../ports/process.ts";
import type { Spawned } from "./spawned.ts";

/** A child whose output flows to its call and whose end is watched. */
export interface FollowedChild {
  readonly pid: number;
  readonly running: () => boolean;
  readonly exited: Promise<void>;
  /** Ends the process itself, without what it has started. */
  readonly kill: () => void;
  /** Exited, and nobody holds its pipes any more. */
  readonly closed: Promise<unknown>;
  readonly exit: () => Pick<ProcessEnd, "exitCode" | "signal">;
  /** What an output callback has thrown, if one did. */
  readonly bug: () => { readonly error: unknown } | null;
  /** Stops listening to the child and its pipes, and waits for them no longer. */
  readonly release: () => void;
}

/**
 * Follows a child from its first moment: to be called in the tick in which it
 * was started, before it can say anything. `onBug` is called when an output
 * callback throws.
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
  // After the start only a signal that could not be sent is an "error", and the next one follows.
  child.on("error", ignore);
  // A child may end, or close its input, without reading it: EPIPE is no error.
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

/** Also of what a child's own "close" does not wait for: pipes that were made for it. */
function closing(what: EventEmitter | null): Promise<void> {
  return new Promise((resolve) => {
    if (what === null) resolve();
    else what.once("close", resolve);
  });
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
