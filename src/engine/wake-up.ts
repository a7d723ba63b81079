import type { RunState } from "../machine/model/run-state.ts";
import { questionsOf } from "../machine/moves/question.ts";
import { isLive } from "../machine/moves/stop.ts";
import { nextWakeTime } from "../machine/steps/plan.ts";
import type { Clock } from "./ports/clock.ts";

/**
 * Longest sleep, ms. A suspended machine wakes by wall clock, because timers stop during
 * suspension.
 */
const LONGEST_SLEEP_MS = 30_000;

/**
 * Poll interval for answers and closed manual sessions, ms: a killed process or another machine
 * cannot notify us.
 */
const POLL_MS = 5_000;

/**
 * Calls `wake` when the next work is due, until the returned controller is aborted. Work that was due at `lastPassAt`
 * (ms) has already started. `watched`: manual sessions are open. Null: nothing becomes due.
 */
export function scheduleWakeUp(
  run: RunState,
  lastPassAt: number,
  clock: Clock,
  watched: boolean,
  wake: () => void,
): AbortController | null {
  const next = nextWakeTime(run, lastPassAt);
  // A step can only be interrupted once its process has started.
  const interrupts = run.agents.some(({ setResult }) => setResult !== null);
  const asks = isLive(run) && (watched || interrupts || questionsOf(run).length > 0);
  if (next === null && !asks) return null;
  const timer = new AbortController();
  const longest = asks ? POLL_MS : LONGEST_SLEEP_MS;
  const ms = Math.min(longest, Math.max(0, (next ?? Infinity) - clock.now()));
  void clock.sleep(ms, timer.signal).then(() => {
    if (!timer.signal.aborted) wake();
  });
  return timer;
}
