import { describe, expect, it } from "vitest";
import { fanOut } from "../../src/console/fan-out.ts";
import type { Observer } from "../../src/engine/ports/observer.ts";
import type { Event } from "../../src/machine/model/event.ts";
import { describeObserver } from "../contracts/observer.ts";
import { samples } from "../log/samples.ts";
import { run } from "../support/runs.ts";

function listener(): Observer & { readonly received: Event[] } {
  const received: Event[] = [];
  return { received, notify: (event) => received.push(event) };
}

const noWarning = (message: string): void => {
  throw new Error(message);
};

const broken: Observer = {
  notify: () => {
    throw new Error("no more paper");
  },
  close: () => Promise.reject(new Error("no more paper")),
};

describeObserver(
  "fanOut",
  () => Promise.resolve(fanOut([listener(), listener()], () => undefined)),
  () => Promise.resolve(fanOut([broken, listener(), broken], () => undefined)),
);

describe("fanOut", () => {
  it("passes all events to all observers, in order", () => {
    const [one, two] = [listener(), listener()];
    const all = fanOut([one, two], noWarning);
    all.notify(samples["step.tool"], run(), 1);
    all.notify(samples["step.message"], run(), 2);

    expect(one.received).toEqual([samples["step.tool"], samples["step.message"]]);
    expect(two.received).toEqual(one.received);
  });

  it("disables an observer that throws, and warns once", () => {
    const one = listener();
    const warnings: string[] = [];
    const all = fanOut([broken, one], (message) => warnings.push(message));
    all.notify(samples["step.tool"], run(), 1);
    all.notify(samples["step.message"], run(), 1);

    expect(one.received).toEqual([samples["step.tool"], samples["step.message"]]);
    expect(warnings).toEqual([expect.stringContaining("no more paper")]);
  });

  it("waits for all observers when it is closed, also for a disabled one", async () => {
    const closed: string[] = [];
    const slow: Observer = {
      notify: () => {
        throw new Error("off");
      },
      close: async () => {
        await Promise.resolve();
        closed.push("slow");
      },
    };
    const all = fanOut([slow, broken, { notify: () => undefined }], () => undefined);
    all.notify(samples["run.woke"], run(), 1);
    await all.close?.();

    expect(closed).toEqual(["slow"]);
  });
});
