import { expect, it } from "vitest";
import type { Clock } from "../../../src/engine/ports/clock.ts";
import { enqueueKey } from "../../../src/fleet/queue/queues.ts";
import { runReaper } from "../../../src/fleet/worker/reaper.ts";
import { fleetDatabase } from "../../support/fleet/postgres.ts";

const HOUR_MS = 3_600_000;

/** Scans per hour of a worker with this number of runs. */
async function scansPerHour(runs: number): Promise<number> {
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
    return { run, entry: 1, name: enqueueKey(run, 1), machine: "me" };
  });
  let scans = 0;
  const nothing = () => Promise.resolve();
  await runReaper({
    database: await fleetDatabase(),
    queues: {
      ...{ enqueue: nothing, cancel: nothing, forget: nothing, close: nothing },
      dispatchedTo: () => {
        scans += 1;
        return Promise.resolve(claims);
      },
    },
    machine: "me",
    dispatched: new Set(claims.map(({ name }) => name)),
    ...{ clock, ttlMs: HOUR_MS / 10, until: over.signal, log: () => undefined },
  });
  return scans;
}

it("checks dispatched runs less often the more there are", async () => {
  const few = await scansPerHour(10);
  const many = await scansPerHour(100_000);

  expect(few).toBeGreaterThan(30);
  expect(many).toBeLessThan(5);
});
