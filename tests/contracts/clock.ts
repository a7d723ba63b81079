import { describe, expect, it } from "vitest";
import type { Clock } from "../../src/engine/ports/clock.ts";

/** A clock under test, and how its time passes. */
export interface ClockCase {
  readonly clock: Clock;
  /** Resolves when this time has passed, ms, and the woken code has run. */
  readonly pass: (ms: number) => Promise<void>;
}

/** What every Clock promises. Times are short, for one of them is real. */
export function describeClock(name: string, open: () => ClockCase | Promise<ClockCase>): void {
  describe(`${name} as a Clock`, () => {
    it("advances both clocks", async () => {
      const { clock, pass } = await open();
      const [now, elapsed] = [clock.now(), clock.elapsed()];

      await pass(20);

      expect(clock.now() - now).toBeGreaterThanOrEqual(20 - ROUNDING);
      expect(clock.elapsed() - elapsed).toBeGreaterThanOrEqual(20 - ROUNDING);
    });

    it("wakes a sleeper after its time, and not before", async () => {
      const { clock, pass } = await open();
      const startedAt = clock.elapsed();
      const waking = clock.sleep(40, new AbortController().signal).then(() => clock.elapsed());

      await pass(10);
      await pass(60);

      expect(await waking).toBeGreaterThanOrEqual(startedAt + 40 - ROUNDING);
    });

    it("wakes a sleeper at once when its signal is or was aborted", async () => {
      const { clock } = await open();
      const abort = new AbortController();
      const startedAt = clock.elapsed();
      const sleeping = clock.sleep(3_600_000, abort.signal);

      abort.abort(new Error("awake"));

      await expect(sleeping).resolves.toBeUndefined();
      await expect(clock.sleep(3_600_000, abort.signal)).resolves.toBeUndefined();
      expect(clock.elapsed() - startedAt).toBeLessThan(3_600_000);
    });
  });
}

/** A timer may be a millisecond early, and another is lost by rounding: twice that, where a clock runs twice as fast. */
const ROUNDING = 4;
