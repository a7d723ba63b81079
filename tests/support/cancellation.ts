import type { Cancellation } from "../../src/engine/ports/cancellation.ts";

/** A cancellation that a test controls. */
export interface TestCancellation extends Cancellation {
  /** As when the budget is used up. */
  spendNow(): void;
  /** As the first Ctrl-C. */
  interruptNow(): void;
  /** As the second Ctrl-C. */
  killNow(): void;
}

export function cancellation(): TestCancellation {
  const budget = new AbortController();
  const interrupt = new AbortController();
  const kill = new AbortController();
  return {
    budget: budget.signal,
    spendNow() {
      budget.abort();
    },
    interrupt: interrupt.signal,
    kill: kill.signal,
    interruptNow() {
      interrupt.abort();
    },
    killNow() {
      kill.abort();
    },
  };
}
