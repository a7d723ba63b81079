import { describe, expect, it } from "vitest";
import { configVariables, readEnvironment } from "../../src/config/environment.ts";
import { ConfigError } from "../../src/config/errors.ts";

describe("readEnvironment", () => {
  it("knows a closed list of variables", () => {
    expect([...configVariables()].sort()).toEqual([
      "RAYMOND_BUDGET",
      "RAYMOND_CLAUDE",
      "RAYMOND_EFFORT",
      "RAYMOND_MAX_PARALLEL",
      "RAYMOND_MODEL",
      "RAYMOND_TIMEOUT",
    ]);
  });

  it("reads them in the terms of a run, and takes empty ones as not set", () => {
    expect(
      readEnvironment({
        RAYMOND_BUDGET: "7.5",
        RAYMOND_CLAUDE: "/opt/claude",
        RAYMOND_EFFORT: "low",
        RAYMOND_MAX_PARALLEL: "2",
        RAYMOND_MODEL: "4",
        RAYMOND_TIMEOUT: "90",
        RAYMOND_DEBUG: "false",
        HOME: "/home/me",
      }),
    ).toEqual({
      budgetMicroUsd: 7_500_000,
      claude: "/opt/claude",
      effort: "low",
      maxParallel: 2,
      model: "4",
      timeoutMs: 90_000,
    });
    expect(readEnvironment({ RAYMOND_BUDGET: "", RAYMOND_MODEL: undefined })).toEqual({});
  });

  it.each([
    ["RAYMOND_BUDGET", "lots"],
    ["RAYMOND_BUDGET", "0"],
    ["RAYMOND_BUDGET", "$5"],
    ["RAYMOND_BUDGET", "1e3"],
    ["RAYMOND_EFFORT", "hgih"],
    ["RAYMOND_TIMEOUT", "soon"],
    ["RAYMOND_MAX_PARALLEL", "0"],
    ["RAYMOND_MAX_PARALLEL", "two"],
  ])("refuses %s=%s, and names the variable and the value", (variable, value) => {
    expect(() => readEnvironment({ [variable]: value })).toThrow(ConfigError);
    expect(() => readEnvironment({ [variable]: value })).toThrow(`${variable}: "${value}" is not `);
  });
});
