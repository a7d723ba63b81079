import fc from "fast-check";
import { expect, it } from "vitest";
import { Semaphore } from "../../../../src/fleet/queue/admission/semaphore.ts";
import { SimulatedClock } from "../../../support/clock.ts";

/** Lets all pending promise callbacks run. */
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

it("limits the concurrent holders, and serves all callers in order", () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 40 }),
      fc.integer({ min: 1, max: 5 }),
      async (ticks, permits) => {
        const semaphore = new Semaphore(permits);
        const served: number[] = [];
        let active = 0;
        let highest = 0;
        await Promise.all(
          ticks.map(async (count, index) => {
            const release = await semaphore.acquire();
            served.push(index);
            active += 1;
            highest = Math.max(highest, active);
            for (let tick = 0; tick < count; tick += 1) await settled();
            active -= 1;
            release?.();
          }),
        );

        expect(served).toEqual(ticks.map((_, index) => index));
        expect(highest).toBeLessThanOrEqual(permits);
        await semaphore.idle();
      },
    ),
    { numRuns: 50 },
  ));

it("releases a permit that is held for too long, once", async () => {
  const clock = new SimulatedClock();
  const semaphore = new Semaphore(1, { afterMs: 100, clock });
  const served: string[] = [];
  const first = await semaphore.acquire();
  const others = ["second", "third"].map(async (name) => {
    const release = await semaphore.acquire();
    served.push(name);
    return release;
  });

  clock.advance(99);
  await settled();
  expect(served).toEqual([]);
  clock.advance(1);
  await settled();
  expect(served).toEqual(["second"]);
  first?.();
  await settled();
  expect(served).toEqual(["second"]);
  (await others[0])?.();
  await settled();
  expect(served).toEqual(["second", "third"]);
  (await others[1])?.();
  expect(clock.sleeping).toBe(0);
});

it("gives no permit to a caller that has stopped waiting, and loses none", async () => {
  const semaphore = new Semaphore(1);
  const gone = new AbortController();
  const first = await semaphore.acquire();
  const cancelled = semaphore.acquire(gone.signal);
  const next = semaphore.acquire();

  gone.abort();
  expect(await cancelled).toBeNull();
  first?.();
  const third = semaphore.acquire(new AbortController().signal);
  (await next)?.();
  (await third)?.();

  expect(await semaphore.acquire(gone.signal)).toBeNull();
  expect(await semaphore.acquire()).toBeTypeOf("function");
});
