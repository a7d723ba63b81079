import { describe, expect, it } from "vitest";
import {
  configVariables,
  inspectEnvironment,
  readEnvironment,
  unknownVariables,
} from "../../src/config/environment.ts";
import { ConfigError } from "../../src/config/errors.ts";
import { OWN_VARIABLES } from "../../src/engine/executors/environment.ts";

describe("readEnvironment", () => {
  it("reads a closed list of variables", () => {
    expect([...configVariables()].sort()).toEqual([
      "RAYMOND_AGENT",
      "RAYMOND_BUDGET",
      "RAYMOND_CLAUDE",
      "RAYMOND_CLIENT",
      "RAYMOND_CONTAINER",
      "RAYMOND_EFFORT",
      "RAYMOND_MAX_PARALLEL",
      "RAYMOND_MODEL",
      "RAYMOND_PERMISSIONS",
      "RAYMOND_TIMEOUT",
    ]);
  });

  it("converts values, and ignores empty variables", () => {
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
      clients: { claude: "/opt/claude" },
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
  ])("rejects %s=%s with the variable and the value", (variable, value) => {
    expect(() => readEnvironment({ [variable]: value })).toThrow(ConfigError);
    expect(() => readEnvironment({ [variable]: value })).toThrow(`${variable}: "${value}" is not `);
  });
});

describe("inspectEnvironment", () => {
  it("reads the valid variables next to invalid ones", () => {
    const { settings, errors } = inspectEnvironment({
      RAYMOND_BUDGET: "lots",
      RAYMOND_CLAUDE: "/opt/claude",
      RAYMOND_TIMEOUT: "soon",
    });

    expect(settings).toEqual({ clients: { claude: "/opt/claude" } });
    expect(errors.map(({ place }) => place)).toEqual([
      { variable: "RAYMOND_BUDGET" },
      { variable: "RAYMOND_TIMEOUT" },
    ]);
  });
});

describe("unknownVariables", () => {
  it.each([
    ["RAYMOND_BUDGETS", "; did you mean RAYMOND_BUDGET?"],
    ["RAYMOND_MAXPARALLEL", "; did you mean RAYMOND_MAX_PARALLEL?"],
    ["RAYMOND_DEBUG", "; set debug in config.toml or with a flag."],
    ["RAYMOND_NO_WAIT", "; set wait in config.toml or with a flag."],
    ["RAYMOND_ENTIRELY_ELSE", ". List the known ones with: raymond help environment"],
  ])("suggests a name for %s without printing its value", (name, end) => {
    expect(unknownVariables({ [name]: "secret" }, OWN_VARIABLES)).toEqual([
      `unknown environment variable ${name} is ignored${end}`,
    ]);
  });

  it("accepts settings, raymond's own variables and empty ones", () => {
    const known = [...configVariables(), ...OWN_VARIABLES].map((name) => [name, "1"] as const);
    const env = { ...Object.fromEntries(known), RAYMOND_FOO: "", RAYMOND: "1", MY_RAYMOND_X: "1" };

    expect(unknownVariables(env, OWN_VARIABLES)).toEqual([]);
  });
});
