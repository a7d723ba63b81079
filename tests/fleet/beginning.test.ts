import { expect, it } from "vitest";
import { whenBegun } from "../../src/fleet/beginning.ts";
import { Driven } from "../support/driving.ts";
import { run } from "../support/runs.ts";

it("takes a run for begun when its first step has started, and not before", () => {
  const driven = new Driven(run());
  const begun: string[] = [];
  const told: string[] = [];
  const observer = whenBegun(() => begun.push(told.at(-1) ?? ""));
  driven.tell({ type: "told", count: 1 }).start();

  for (const [index, event] of driven.events.entries()) {
    told.push(event.type);
    observer.notify(event, driven.run, index);
  }

  expect(begun[0]).toBe("step.started");
});
