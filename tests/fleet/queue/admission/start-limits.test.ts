import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { expect, it } from "vitest";
import { Semaphore } from "../../../../src/fleet/queue/admission/semaphore.ts";
import { limitStarts, onceStarted } from "../../../../src/fleet/queue/admission/start-limits.ts";
import { processHost } from "../../../../src/process/platform/host.ts";
import { SimulatedClock } from "../../../support/clock.ts";
import { tempFolder } from "../../../support/folders.ts";
import { bashCall } from "../../../support/process/bash-call.ts";
import { RunDriver } from "../../../support/run-driver.ts";
import { run } from "../../../support/runs.ts";

/** Starts one process at a time. */
function oneByOne() {
  const clock = new SimulatedClock();
  const turns = new Semaphore(1, { afterMs: 100, clock });
  return { clock, start: limitStarts(processHost().start, turns) };
}

it("starts a process when the one before it has ended, and eventually all of them", async () => {
  const { start } = oneByOne();
  const file = path.join(await tempFolder(), "steps");
  const ends = ["a", "b", "c", "d"].map((name) => {
    const { call } = bashCall(`echo ${name} starts >> "${file}"; echo ${name} ends >> "${file}"`);
    return start(call).done;
  });

  await Promise.all(ends);

  const inOrder = ["a", "b", "c", "d"].map((name) => `${name} starts\n${name} ends\n`);
  expect(await readFile(file, "utf8")).toBe(inOrder.join(""));
});

it("does not block processes behind one that runs for long", async () => {
  const { clock, start } = oneByOne();
  const long = bashCall("echo runs; read -r never < <(sleep 100)");
  const running = start(long.call);
  await long.said(/runs/);
  const next = start(bashCall("exit 4").call);

  clock.advance(100);

  expect((await next.done).exitCode).toBe(4);
  running.end();
  expect((await running.done).endedByRaymond).toBe(true);
});

it.each([
  ["interrupted", "interruptNow"],
  ["killed", "killNow"],
  ["ended", null],
] as const)("never starts a process that is %s while it waits", async (_, how) => {
  const { start } = oneByOne();
  const file = path.join(await tempFolder(), "started");
  const first = bashCall("echo runs; read -r never < <(sleep 100)");
  const running = start(first.call);
  await first.said(/runs/);
  const second = bashCall(`touch "${file}"`);
  const waiting = start(second.call);

  if (how === null) waiting.end();
  else second.cancellation[how]();

  expect(await waiting.done).toMatchObject({
    exitCode: null,
    endedByRaymond: true,
    spawnError: null,
  });
  running.end();
  await running.done;
  expect(existsSync(file)).toBe(false);
  expect((await start(bashCall("exit 5").call).done).exitCode).toBe(5);
});

it("counts a run as started at its first step, and not before", () => {
  const driven = new RunDriver(run());
  const startedAfter: string[] = [];
  const seen: string[] = [];
  const observer = onceStarted(() => startedAfter.push(seen.at(-1) ?? ""));
  driven.apply({ type: "reported", count: 1 }).start();

  for (const [index, event] of driven.events.entries()) {
    seen.push(event.type);
    observer.notify(event, driven.run, index);
  }

  expect(startedAfter[0]).toBe("step.started");
});
