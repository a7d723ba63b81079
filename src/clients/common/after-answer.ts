import type { Cancellation } from "../../engine/ports/cancellation.ts";
import type { CallEnding } from "./ending.ts";
import type { AgentStream } from "./output/agent-stream.ts";
import type { Timers } from "./watchdog.ts";

/** Time for the client to report its result after the last message of the model, ms. */
const RESULT_MS = 2_000;

export interface ClientCancellation extends Pick<Cancellation, "interrupt" | "kill"> {
  /** Call after each event: an answer or the result may be complete. */
  check(): void;
  /** Why the client was interrupted; null if it was not. */
  reason(): CallEnding<unknown>["cancelled"];
  /** Call when the process has ended. */
  release(): void;
}

/**
 * Interrupts a client when the budget is used up, after the answer in progress, which is already paid for
 * (docs/budgets.md, "How far a run can overshoot"). After an answer that ends the turn the result with the exact cost
 * follows within milliseconds, so that client may exit normally. Other cancellations take effect immediately, and later
 * results are ignored (docs/claude.md, "Output"): output after the end of the budget is paid for and still counts.
 */
export function endAfterAnswer(
  { budget, interrupt, kill }: Cancellation,
  stream: AgentStream,
  timers: Pick<Timers, "sleep">,
): ClientCancellation {
  const interrupted = new AbortController();
  const over = new AbortController();
  let closing = false;
  const pass = (): void => {
    stream.signaled?.();
    interrupted.abort();
  };
  const passUnlessSettled = (): void => {
    if (!over.signal.aborted && stream.activity !== "settled") pass();
  };
  const check = (): void => {
    if (!budget.aborted || stream.activity === "settled" || stream.answering) return;
    if (!stream.closing) pass();
    else if (!closing) {
      closing = true;
      void timers.sleep(RESULT_MS, over.signal).then(passUnlessSettled);
    }
  };
  const seal = (): void => {
    stream.seal();
    stream.signaled?.();
  };
  const stop = (): void => {
    seal();
    pass();
  };
  if (interrupt.aborted) stop();
  if (kill.aborted) seal();
  interrupt.addEventListener("abort", stop);
  kill.addEventListener("abort", seal);
  budget.addEventListener("abort", check);
  check();
  return {
    interrupt: interrupted.signal,
    kill,
    check,
    reason: () => {
      if (interrupt.aborted || kill.aborted) return "stop";
      return interrupted.signal.aborted ? "budget" : null;
    },
    release: () => {
      over.abort();
      interrupt.removeEventListener("abort", stop);
      kill.removeEventListener("abort", seal);
      budget.removeEventListener("abort", check);
    },
  };
}
