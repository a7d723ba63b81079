import type { EventEmitter } from "node:events";
import { Socket } from "node:net";
import type { Readable } from "node:stream";
import type { ProcessCall } from "../../engine/ports/process.ts";
import type { ChildExit, StartedChild } from "./started-child.ts";

/** A child whose output is forwarded and whose end is observed. */
export interface FollowedChild extends Pick<StartedChild, "pid" | "exited" | "signal"> {
  readonly running: () => boolean;
  /** Resolves after the exit, when no process holds the pipes. */
  readonly closed: Promise<unknown>;
  readonly exit: () => ChildExit | null;
  /** The exception of an output callback, if one threw. */
  readonly bug: () => { readonly error: unknown } | null;
  /** Stops listening to the child and its pipes. */
  readonly release: () => void;
}

/**
 * Follows a child. Must be called before the child's pipes are read. `onBug` is called when an
 * output callback throws.
 */
export function followChild(
  child: StartedChild,
  call: ProcessCall,
  onBug: () => void,
): FollowedChild {
  const { pid, exited, signal, exit, stdin, stdout, stderr } = child;
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
  const closed = Promise.all([exited, closing(stdout), closing(stderr)]);
  // A child may end or close its input without reading it: EPIPE is not an error.
  stdin?.on("error", ignore).end(call.input ?? "");
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
    ...{ pid, exited, signal, exit, closed },
    running: () => exit() === null,
    bug: () => bug,
    release() {
      child.unref();
      stdin?.destroy();
      for (const stream of [stdout, stderr]) if (stream !== null) discard(stream);
    },
  };
}

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
