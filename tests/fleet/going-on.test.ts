import { expect, it } from "vitest";
import type { RunId } from "../../src/core/machine/run-state.ts";
import { goingOn } from "../../src/fleet/going-on.ts";
import { RunsInHand } from "../../src/fleet/runs-in-hand.ts";
import { Slots } from "../../src/fleet/slots.ts";
import type { Taken } from "../../src/fleet/take.ts";
import { Turns } from "../../src/fleet/turns.ts";
import { SimulatedClock } from "../support/clock.ts";

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

const COMPLETED: Taken = { kind: "over", status: "completed" };

/** A worker in which two runs begin at once; `taken`: how to end each that has begun, in their order. */
function worker() {
  const clock = new SimulatedClock();
  const over = new AbortController();
  const slots = new Slots(100);
  const inHand = new RunsInHand();
  const taken = new Map<RunId, (how: Taken) => void>();
  const goOn = goingOn({
    take: (id) => new Promise((end) => taken.set(id, end)),
    giveAway: () => Promise.resolve(),
    turns: new Turns({ atOnce: 2, longMs: 1_000, clock }),
    ...{ slots, inHand, clock },
    leave: () => Promise.resolve(),
    tell: () => undefined,
    isShut: () => over.signal.aborted,
    over: over.signal,
  });
  return { goOn, taken, over, slots, inHand, clock };
}

const RUNS = Array.from({ length: 9 }, (_, n) => `run-${String(n)}`);

it("begins so many of the runs that it was handed at once, and all of them in their order", async () => {
  const { goOn, taken, inHand } = worker();
  const over = RUNS.map((id) => goOn(id, `run:${id}:1`));
  const begun: number[] = [];

  for (const [index, id] of RUNS.entries()) {
    await settled();
    begun.push(taken.size);
    expect(inHand.ids.length).toBeLessThanOrEqual(2);
    taken.get(id)?.(COMPLETED);
    expect([...taken.keys()]).toEqual(RUNS.slice(0, Math.min(RUNS.length, index + 2)));
  }

  expect(await Promise.all(over)).toEqual(RUNS.map(() => "completed"));
  expect(begun).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 9]);
});

it("lets a run that takes long to begin keep nobody waiting", async () => {
  const { goOn, taken, clock } = worker();
  for (const id of RUNS) void goOn(id, `run:${id}:1`);
  await settled();

  clock.advance(1_000);
  await settled();

  expect([...taken.keys()]).toEqual(RUNS.slice(0, 4));
});

it("begins none that still waits for its turn when the worker ends, and is done with all of them", async () => {
  const { goOn, taken, slots, over, inHand } = worker();
  for (const id of RUNS) void goOn(id, `run:${id}:1`);
  await settled();

  over.abort();
  for (const end of taken.values()) end({ kind: "again", why: "The worker ends." });
  await slots.empty();

  expect([...taken.keys()]).toEqual(RUNS.slice(0, 2));
  expect(inHand.all).toEqual([]);
});

it("tries a run that was broken off again after longer and longer pauses, for each try can cost", async () => {
  const { goOn, taken, clock } = worker();
  const ended = goOn("run-0", "run:run-0:1");
  const pauses: number[] = [];
  for (let tries = 1; tries <= 8; tries += 1) {
    await settled();
    await settled();
    taken.get("run-0")?.({ kind: "again", why: "the disk of the server is full" });
    taken.delete("run-0");
    await settled();
    await settled();
    const began = clock.now();
    while (!taken.has("run-0")) {
      clock.advance(5_000);
      await settled();
      await settled();
    }
    pauses.push((clock.now() - began) / 1000);
  }
  taken.get("run-0")?.(COMPLETED);

  expect(await ended).toBe("completed");
  expect(pauses).toEqual([5, 10, 20, 40, 80, 160, 300, 300]);
});
