import { EventEmitter } from "node:events";
import { describe, expect, it } from "vitest";
import { controlBySignals } from "../../src/cli/signals.ts";

describe("controlBySignals", () => {
  it("takes Ctrl-Break of Windows for Ctrl-C", () => {
    const process = new EventEmitter() as NodeJS.Process;
    const told: unknown[] = [];
    const signals = controlBySignals(process, (...what) => told.push(what));
    signals.listen();
    const { control } = signals;

    process.emit("SIGBREAK", "SIGBREAK");
    expect([control.interrupt.aborted, control.kill.aborted]).toEqual([true, false]);
    process.emit("SIGBREAK", "SIGBREAK");

    expect(control.kill.aborted).toBe(true);
    expect(told).toEqual([
      ["SIGINT", 1],
      ["SIGINT", 2],
    ]);
  });
});
