import { expect, it } from "vitest";
import { onceStarted } from "../../../../src/fleet/queue/admission/start-limits.ts";
import { RunDriver } from "../../../support/run-driver.ts";
import { run } from "../../../support/runs.ts";

it("counts a run as started at its first step, and not before", () => {
  const driven = new RunDriver(run());
  const startedAfter: string[] = [];
  const seen: string[] = [];
  const observer = onceStarted(() => startedAfter.push(seen.at(-1) ?? ""));
  driven.apply({ type: "told", count: 1 }).start();

  for (const [index, event] of driven.events.entries()) {
    seen.push(event.type);
    observer.notify(event, driven.run, index);
  }

  expect(startedAfter[0]).toBe("step.started");
});
