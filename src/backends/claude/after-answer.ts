import type { Cancellation } from "../../ports/cancellation.ts";
import type { CallEnding } from "./ending.ts";
import type { ClientStream } from "./stream.ts";
import type { Timers } from "./watchdog.ts";

/** So long a client has to give its result once the model has said its last word, ms. */
const RESULT_MS = 2_000;

/** A cancellation as the client's process gets it. */
export interface ClientCancellation extends Pick<Cancellation, "interrupt" | "kill"> {
  /** The stream has told something: an answer may be complete, or the result be there. */
  heard(): void;
  /** Why the client was asked to end; null where it was not. */
  why(): CallEnding["cancelled"];
  /** To be called when the process is gone. */
  release(): void;
}

/**
 * Ends a client where the money is used up: after the answer that is under way,
 * for that is paid for (docs/budgets.md, "How far a run can overshoot"). The
 * result of an answer that ends the turn is milliseconds away, and brings the
 * exact cost: such a client is left to end by itself. What else is asked for
 * goes through at once.
 */
export function endAfterAnswer(
  { budget, interrupt, kill }: Cancellation,
  stream: ClientStream,
  timers: Pick<Timers, "sleep">,
): ClientCancellation {
  const passed = new AbortController();
  const over = new AbortController();
  let closing = false;
  const pass = (): void => {
    passed.abort();
  };
  const passUnlessSettled = (): void => {
    if (!over.signal.aborted && stream.activity !== "settled") pass();
  };
  const look = (): void => {
    if (!budget.aborted || stream.activity === "settled" || stream.answering) return;
    if (!stream.closing) pass();
    else if (!closing) {
      closing = true;
      void timers.sleep(RESULT_MS, over.signal).then(passUnlessSettled);
    }
  };
  if (interrupt.aborted) pass();
  interrupt.addEventListener("abort", pass);
  budget.addEventListener("abort", look);
  look();
  return {
    interrupt: passed.signal,
    kill,
    heard: look,
    why: () => {
      if (interrupt.aborted || kill.aborted) return "stop";
      return passed.signal.aborted ? "budget" : null;
    },
    release: () => {
      over.abort();
      interrupt.removeEventListener("abort", pass);
      budget.removeEventListener("abort", look);
    },
  };
}
