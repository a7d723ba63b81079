import type { Cancellation } from "../../src/ports/cancellation.ts";

/** A cancellation that a test holds in its hand. */
export interface TestCancellation extends Cancellation {
  /** As a budget that is used up does. */
  spendNow(): void;
  /** As the first Ctrl-C does. */
  interruptNow(): void;
  /** As the second one does. */
  killNow(): void;
}

/** A cancellation that nothing asks for until the test does. */
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
