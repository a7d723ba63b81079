import { describe, expect, it } from "vitest";
import type { Observer } from "../../src/engine/ports/observer.ts";
import { everyEvent } from "../log/samples.ts";
import { run } from "../support/runs.ts";

/**
 * What every Observer promises. `open` makes one whose destination works,
 * `openBroken` one whose destination fails at each write.
 */
export function describeObserver(
  name: string,
  open: () => Promise<Observer>,
  openBroken: () => Promise<Observer>,
): void {
  describe(`${name} as an Observer`, () => {
    it("receives every event without changing it", async () => {
      const observer = await open();
      const state = frozen(run());
      for (const [index, event] of everyEvent.entries()) {
        expect(() => {
          observer.notify(frozen(structuredClone(event)), state, index + 1);
        }).not.toThrow();
      }
      await observer.close?.();
    });

    it("does not break the run when its output fails", async () => {
      const observer = await openBroken();
      for (const [index, event] of [...everyEvent, ...everyEvent].entries()) {
        expect(() => {
          observer.notify(event, run(), index + 1);
        }).not.toThrow();
      }
      await expect(Promise.resolve(observer.close?.())).resolves.toBeUndefined();
    });

    it("can be closed twice, also without any event", async () => {
      const observer = await open();
      await observer.close?.();
      await expect(Promise.resolve(observer.close?.())).resolves.toBeUndefined();
    });
  });
}

function frozen<T>(value: T): T {
  if (typeof value === "object" && value !== null) {
    for (const part of Object.values(value)) frozen(part);
    Object.freeze(value);
  }
  return value;
}
