import { EventEmitter } from "node:events";
import { describe, expect, it } from "vitest";
import { controlBySignals } from "../../src/cli/signals.ts";

describe("controlBySignals", () => {
  it("handles Ctrl-Break on Windows like Ctrl-C", () => {
    const process = new EventEmitter() as NodeJS.Process;
    const reported: unknown[] = [];
    const signals = controlBySignals(process, (...values) => reported.push(values));
    signals.listen();
    const { control } = signals;

    process.emit("SIGBREAK", "SIGBREAK");
    expect([control.interrupt.aborted, control.kill.aborted]).toEqual([true, false]);
    process.emit("SIGBREAK", "SIGBREAK");

    expect(control.kill.aborted).toBe(true);
    expect(reported).toEqual([
      ["SIGINT", 1],
      ["SIGINT", 2],
    ]);
  });
});
