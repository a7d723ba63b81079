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
  const closed = Promise.all([exited, stdout?.closed, stderr?.closed]);
  // A child may end or close its input without reading it: EPIPE is not an error.
  stdin?.on("error", ignore).end(call.input ?? "");
  stdout?.read(
    guarded((chunk) => {
      call.onStdout(chunk);
    }),
  );
  stderr?.read(
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
      stdout?.discard();
      stderr?.discard();
    },
  };
}

function ignore(): void {
  // Ignored.
}
