import fc from "fast-check";
import { expect, it } from "vitest";
import { Turns } from "../../src/fleet/turns.ts";
import { SimulatedClock } from "../support/clock.ts";

/** Lets all that is ready to go on go on. */
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

it("gives so many a turn at once, and each of them one, in the order in which they came", () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 40 }),
      fc.integer({ min: 1, max: 5 }),
      async (ticks, atOnce) => {
        const turns = new Turns({ atOnce, longMs: 1_000, clock: new SimulatedClock() });
        const begun: number[] = [];
        let now = 0;
        let most = 0;
        await Promise.all(
          ticks.map(async (count, index) => {
            const giveBack = await turns.take();
            begun.push(index);
            now += 1;
            most = Math.max(most, now);
            for (let tick = 0; tick < count; tick += 1) await settled();
            now -= 1;
            giveBack();
          }),
        );

        expect(begun).toEqual(ticks.map((_, index) => index));
        expect(most).toBeLessThanOrEqual(atOnce);
      },
    ),
    { numRuns: 50 },
  ));

it("keeps nobody waiting for what takes long", async () => {
  const clock = new SimulatedClock();
  const turns = new Turns({ atOnce: 1, longMs: 100, clock });
  const begun: string[] = [];
  const first = await turns.take();
  const others = ["second", "third"].map(async (name) => {
    const giveBack = await turns.take();
    begun.push(name);
    return giveBack;
  });

  clock.advance(99);
  await settled();
  expect(begun).toEqual([]);
  clock.advance(1);
  await settled();
  expect(begun).toEqual(["second"]);
  // What was over by its length is not given back once more.
  first();
  await settled();
  expect(begun).toEqual(["second"]);
  (await others[0])?.();
  await settled();
  expect(begun).toEqual(["second", "third"]);
  (await others[1])?.();
  expect(clock.sleeping).toBe(0);
});

it("gives no turn to who does not wait any more, and keeps none for it", async () => {
  const turns = new Turns({ atOnce: 1, longMs: 100, clock: new SimulatedClock() });
  const gone = new AbortController();
  const first = await turns.take();
  const given = turns.take(gone.signal);
  const next = turns.take();

  gone.abort();
  (await given)();
  first();
  const third = turns.take(new AbortController().signal);
  (await next)();
  (await third)();

  expect(await turns.take(gone.signal)).toBeTypeOf("function");
  // None of them has kept a turn that nobody gives back.
  await turns.take();
});
