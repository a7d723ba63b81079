import { describe, expect, it } from "vitest";
import { type Expiry, startWatchdog } from "../../../src/clients/common/watchdog.ts";
import { handClock } from "./hand-clock.ts";

function watched(patience: () => number, deadlineIn: number | null = null) {
  const clock = handClock();
  const expiries: Expiry[] = [];
  const deadline = deadlineIn === null ? null : clock.now() + deadlineIn;
  const watchdog = startWatchdog(
    { patience, deadline, onExpiry: (expiry) => expiries.push(expiry) },
    clock,
  );
  return { clock, expiries, watchdog };
}

describe("startWatchdog", () => {
  it("barks once after silence, and not before", async () => {
    const { clock, expiries } = watched(() => 10_000);

    await clock.advance(9_999);
    expect(expiries).toEqual([]);
    await clock.advance(1);
    await clock.advance(100_000);
    expect(expiries).toEqual(["silence"]);
  });

  it("is calmed by every event", async () => {
    const { clock, expiries, watchdog } = watched(() => 10_000);

    for (let round = 0; round < 5; round++) {
      await clock.advance(9_000);
      watchdog.event();
    }
    expect(expiries).toEqual([]);
    await clock.advance(10_000);
    expect(expiries).toEqual(["silence"]);
  });

  it("follows a patience that grows or shrinks with an event", async () => {
    let patience = 50_000;
    const { clock, expiries, watchdog } = watched(() => patience);

    await clock.advance(1_000);
    patience = 5_000;
    watchdog.event();
    await clock.advance(4_999);
    expect(expiries).toEqual([]);
    await clock.advance(1);
    expect(expiries).toEqual(["silence"]);
  });

  it("waits indefinitely with a patience of 0", async () => {
    const { clock, expiries, watchdog } = watched(() => 0);

    await clock.advance(30 * 24 * 3_600_000);
    expect(expiries).toEqual([]);
    watchdog.stop();
  });

  it("keeps a deadline whatever happens", async () => {
    const { clock, expiries, watchdog } = watched(() => 0, 15_000);

    await clock.advance(14_000);
    watchdog.event();
    await clock.advance(1_000);
    expect(expiries).toEqual(["deadline"]);
  });

  it("is silent once it is stopped", async () => {
    const { clock, expiries, watchdog } = watched(() => 10_000, 10_000);

    watchdog.stop();
    await clock.advance(60_000);
    expect(expiries).toEqual([]);
  });

  it("does not blame the client for a time in which raymond was stopped, or the machine slept", async () => {
    const { timers, wakeAt } = sleeper();
    const expiries: Expiry[] = [];
    const watchdog = startWatchdog(
      { patience: () => 60_000, deadline: null, onExpiry: (expiry) => expiries.push(expiry) },
      timers,
    );
    const night = 8 * 3_600_000;

    for (let time = 5_000; time < 60_000; time += 5_000) await wakeAt(time);
    await wakeAt(night);
    expect(expiries).toEqual([]);
    await wakeAt(night + 5_000);
    expect(expiries).toEqual(["silence"]);
    watchdog.stop();
  });

  it("reads pending output first after a short suspension of raymond", async () => {
    const { timers, wakeAt } = sleeper();
    const expiries: Expiry[] = [];
    const watchdog = startWatchdog(
      { patience: () => 5_000, deadline: null, onExpiry: (expiry) => expiries.push(expiry) },
      timers,
    );

    // The timer is due and the pipe is full: Node takes the timer first.
    const woken = wakeAt(5_900);
    setImmediate(() => {
      watchdog.event();
    });
    await woken;

    expect(expiries).toEqual([]);
    watchdog.stop();
  });

  it("uses no clock that a user can set", async () => {
    for (const jump of [-86_400_000, 86_400_000]) {
      const { clock, expiries } = watched(() => 10_000, 15_000);
      clock.set(jump);
      await clock.advance(9_999);
      expect(expiries).toEqual([]);
      await clock.advance(1);
      expect(expiries).toEqual(["silence"]);
    }
  });
});

/** A clock whose only sleep ends on request. */
function sleeper() {
  let time = 0;
  const naps: (() => void)[] = [];
  const sleep = (): Promise<void> => new Promise((resolve) => naps.push(resolve));
  return {
    timers: { elapsed: () => time, sleep },
    wakeAt: async (now: number): Promise<void> => {
      time = now;
      naps.shift()?.();
      for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    },
  };
}
