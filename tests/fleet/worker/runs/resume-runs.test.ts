import { expect, it } from "vitest";
import { Semaphore } from "../../../../src/fleet/queue/admission/semaphore.ts";
import { ActiveRuns } from "../../../../src/fleet/worker/runs/active-runs.ts";
import { runResumer } from "../../../../src/fleet/worker/runs/resume-runs.ts";
import type { ClaimOutcome } from "../../../../src/fleet/worker/runs/run-claimed.ts";
import type { RunId } from "../../../../src/machine/model/run-state.ts";
import { SimulatedClock } from "../../../support/clock.ts";

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

const COMPLETED: ClaimOutcome = { kind: "over", status: "completed" };

/** A worker that starts two runs at once; `running`: ends a started run, in order of the starts. */
function worker() {
  const clock = new SimulatedClock();
  const stopping = new AbortController();
  const slots = new Semaphore(100);
  const activeRuns = new ActiveRuns();
  const running = new Map<RunId, (how: ClaimOutcome) => void>();
  const resume = runResumer({
    run: (id) => new Promise((end) => running.set(id, end)),
    requeue: () => Promise.resolve(),
    startLimit: new Semaphore(2, { afterMs: 1_000, clock }),
    ...{ slots, activeRuns, clock },
    leave: () => Promise.resolve(),
    log: () => undefined,
    isClosed: () => stopping.signal.aborted,
    stopping: stopping.signal,
  });
  return { resume, running, stopping, slots, activeRuns, clock };
}

const RUNS = Array.from({ length: 9 }, (_, n) => `run-${String(n)}`);

it("starts a limited number of dispatched runs at once, and all of them in order", async () => {
  const { resume, running, activeRuns } = worker();
  const ended = RUNS.map((id) => resume(id, `run:${id}:1`));
  const started: number[] = [];

  for (const [index, id] of RUNS.entries()) {
    await settled();
    started.push(running.size);
    expect(activeRuns.ids.length).toBeLessThanOrEqual(2);
    running.get(id)?.(COMPLETED);
    expect([...running.keys()]).toEqual(RUNS.slice(0, Math.min(RUNS.length, index + 2)));
  }

  expect(await Promise.all(ended)).toEqual(RUNS.map(() => "completed"));
  expect(started).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 9]);
});

it("does not block runs behind one that is slow to start", async () => {
  const { resume, running, clock } = worker();
  for (const id of RUNS) void resume(id, `run:${id}:1`);
  await settled();

  clock.advance(1_000);
  await settled();

  expect([...running.keys()]).toEqual(RUNS.slice(0, 4));
});

it("starts no waiting run when the worker shuts down, and finishes all of them", async () => {
  const { resume, running, slots, stopping, activeRuns } = worker();
  for (const id of RUNS) void resume(id, `run:${id}:1`);
  await settled();

  stopping.abort();
  for (const end of running.values()) end({ kind: "again", why: "The worker shuts down." });
  await slots.idle();

  expect([...running.keys()]).toEqual(RUNS.slice(0, 2));
  expect(activeRuns.all).toEqual([]);
});

it("retries an interrupted run after growing pauses, because each retry can cost money", async () => {
  const { resume, running, clock } = worker();
  const ended = resume("run-0", "run:run-0:1");
  const pauses: number[] = [];
  for (let tries = 1; tries <= 8; tries += 1) {
    await settled();
    await settled();
    running.get("run-0")?.({ kind: "again", why: "the disk of the server is full" });
    running.delete("run-0");
    await settled();
    await settled();
    const began = clock.now();
    while (!running.has("run-0")) {
      clock.advance(5_000);
      await settled();
      await settled();
    }
    pauses.push((clock.now() - began) / 1000);
  }
  running.get("run-0")?.(COMPLETED);

  expect(await ended).toBe("completed");
  expect(pauses).toEqual([5, 10, 20, 40, 80, 160, 300, 300]);
});
