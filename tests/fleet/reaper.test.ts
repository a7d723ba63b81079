import { expect, it } from "vitest";
import { keepReaping } from "../../src/fleet/reaper.ts";
import type { Clock } from "../../src/ports/clock.ts";
import { goName } from "../../src/stores/postgres/queues.ts";
import { fleetDatabase } from "../support/postgres.ts";

const HOUR_MS = 3_600_000;

/** How often a worker with so many runs reads its claims in an hour of the clock. */
async function looksAtClaims(runs: number): Promise<number> {
  const over = new AbortController();
  let elapsed = 0;
  const clock: Clock = {
    now: () => elapsed,
    elapsed: () => elapsed,
    sleep: (ms) => {
      elapsed += ms;
      if (elapsed > HOUR_MS) over.abort();
      return Promise.resolve();
    },
  };
  const claims = Array.from({ length: runs }, (_, at) => {
    const run = `wf-${String(at)}`;
    return { run, go: 1, name: goName(run, 1), machine: "me" };
  });
  let looks = 0;
  const nothing = () => Promise.resolve();
  await keepReaping({
    database: await fleetDatabase(),
    queues: {
      ...{ enqueue: nothing, cancel: nothing, forget: nothing, close: nothing },
      claimsOf: () => {
        looks += 1;
        return Promise.resolve(claims);
      },
    },
    machine: "me",
    heardOf: new Set(claims.map(({ name }) => name)),
    ...{ clock, ttlMs: HOUR_MS / 10, until: over.signal, tell: () => undefined },
  });
  return looks;
}

it("reads what it was handed the less often, the more that is", async () => {
  const few = await looksAtClaims(10);
  const many = await looksAtClaims(100_000);

  expect(few).toBeGreaterThan(30);
  expect(many).toBeLessThan(5);
});
