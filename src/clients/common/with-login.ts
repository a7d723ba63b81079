import type { Backend, Reply } from "../../engine/ports/backend.ts";
import type { Failure } from "../../machine/model/failure.ts";
import { notStarted } from "./call-failures.ts";

/**
 * Ends the calls in flight when the check of the login fails, with its failure, or else refuses the next call. Until then
 * calls run, so the check delays none. Calls after that are not refused: the user may have logged in since. `login` never
 * rejects; null: the client is logged in, or does not answer.
 */
export function withLogin(backend: Backend, login: Promise<Failure | null>): Backend {
  const calls = new Set<AbortController>();
  /** A failure that has ended no call so far. */
  let pending: Failure | null = null;
  let isOver = false;
  const checked = login.then((failure) => {
    isOver = true;
    if (calls.size === 0) pending = failure;
    if (failure !== null) for (const call of calls) call.abort();
    return failure;
  });
  return {
    ...backend,
    invoke: async (call, cancellation, listener, recorder) => {
      if (pending !== null) {
        const refusal = notStarted(pending);
        pending = null;
        return refusal;
      }
      if (isOver) return backend.invoke(call, cancellation, listener, recorder);
      const ended = new AbortController();
      calls.add(ended);
      const kill = AbortSignal.any([cancellation.kill, ended.signal]);
      const reply = await backend.invoke(call, { ...cancellation, kill }, listener, recorder);
      calls.delete(ended);
      const isCancelled = cancellation.kill.aborted || cancellation.interrupt.aborted;
      if (!ended.signal.aborted || isCancelled) return reply;
      return refused(reply, await checked);
    },
  };
}

/** A call that has succeeded was logged in. */
function refused(reply: Reply, failure: Failure | null): Reply {
  if (failure === null || reply.kind === "reply") return reply;
  const { spend, exitCode, session, stretch } = reply;
  return { kind: "failure", ...failure, spend, exitCode, session, stretch };
}
