import { describe, expect, it } from "vitest";
import { failureOf } from "../../src/executors/script-failure.ts";

describe("failureOf", () => {
  it.each([
    ["A.sh", "`# raymond: timeout=30m`"],
    ["A.bat", "`REM raymond: timeout=30m`"],
    ["A.ps1", "`# raymond: timeout=30m`"],
  ])("says to who writes %s how to give it more time: %s", (name, line) => {
    const end = { exitCode: null, signal: null, spawnError: null, leftOpen: false };

    const { hint } = failureOf(name, { ...end, ended: true, durationMs: 1 }, 1_000, []);

    expect(hint).toContain(line);
  });
});
