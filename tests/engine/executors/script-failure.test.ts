import { describe, expect, it } from "vitest";
import { scriptFailure } from "../../../src/engine/executors/script-failure.ts";

describe("scriptFailure", () => {
  it.each([
    ["A.sh", "`# raymond: timeout=30m`"],
    ["A.bat", "`REM raymond: timeout=30m`"],
    ["A.ps1", "`# raymond: timeout=30m`"],
  ])("explains to authors of %s how to increase the limit: %s", (name, line) => {
    const end = { exitCode: null, signal: null, spawnError: null, leftOpen: false };

    const { hint } = scriptFailure(
      name,
      { ...end, endedByRaymond: true, durationMs: 1 },
      1_000,
      [],
    );

    expect(hint).toContain(line);
  });
});
