import { EventEmitter } from "node:events";
import { describe, expect, it } from "vitest";
import { controlBySignals, signalWord } from "../../src/cli/signals.ts";

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

describe("signalWord", () => {
  it("is a word that people on Windows know", () => {
    expect(signalWord("SIGTERM", "win32")).toBe("raymond stop");
    expect(signalWord("SIGINT", "win32")).toBe("Ctrl-C");
    expect(signalWord("SIGTERM", "linux")).toBe("SIGTERM");
  });
});
