import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type DeclaredEnvironment,
  matchesVariable,
  NO_ENVIRONMENT,
} from "../../../src/language/workflow/policy/declared-environment.ts";
import {
  type EnvironmentSettings,
  stepEnvironment,
  variableFilter,
} from "../../../src/machine/decide/step-environment.ts";

const UNSET: EnvironmentSettings = { envPass: null, envSet: {}, envSecret: [] };

function passes(
  kind: "prompt" | "script",
  settings: Partial<EnvironmentSettings>,
  state: Partial<DeclaredEnvironment>,
  ofAgent: readonly string[] = [],
) {
  const step = stepEnvironment(kind, { ...UNSET, ...settings }, NO_ENVIRONMENT, {
    ...NO_ENVIRONMENT,
    ...state,
  });
  return variableFilter(step, ofAgent, false);
}

describe("the variables of a step", () => {
  it("are the base variables for a prompt, and all for a script", () => {
    expect(passes("prompt", {}, {})("PATH")).toBe(true);
    expect(passes("prompt", {}, {}, ["ANTHROPIC_*"])("ANTHROPIC_API_KEY")).toBe(true);
    expect(passes("prompt", {}, {}, ["CODEX_*"])("ANTHROPIC_API_KEY")).toBe(false);
    expect(passes("prompt", {}, {})("GH_TOKEN")).toBe(false);
    expect(passes("prompt", {}, {})("SSH_AUTH_SOCK")).toBe(false);
    expect(passes("script", {}, {})("GH_TOKEN")).toBe(true);
  });

  it("are the base variables without those of the agent for a narrowed script", () => {
    const isPassed = passes("script", {}, { pass: ["GH_*"] }, ["ANTHROPIC_*"]);
    expect(isPassed("GH_TOKEN")).toBe(true);
    expect(isPassed("PATH")).toBe(true);
    expect(isPassed("ANTHROPIC_API_KEY")).toBe(false);
  });

  it("are compared without case on Windows", () => {
    const step = { kind: "prompt", pass: ["gh_token"] } as const;
    expect(variableFilter(step, [], true)("Path")).toBe(true);
    expect(variableFilter(step, [], true)("GH_TOKEN")).toBe(true);
    expect(variableFilter(step, [], false)("GH_TOKEN")).toBe(false);
  });

  it("that the user sets keep the value of the user", () => {
    const declared = { pass: null, set: { A: "state", B: "state" }, secret: [] };
    const { set } = stepEnvironment(
      "script",
      { ...UNSET, envSet: { A: "user" } },
      declared,
      declared,
    );
    expect(set).toEqual({ A: "user", B: "state" });
  });
});

const anyName = fc.stringMatching(/^[AB]_?[AB]{0,3}$/);
const anyPattern = fc.tuple(anyName, fc.boolean()).map(([name, open]) => name + (open ? "*" : ""));
const anyPatterns = fc.array(fc.oneof(anyPattern, fc.constant("*")), { maxLength: 4 });
const anyPass = fc.option(anyPatterns, { nil: null });
const anyKind = fc.constantFrom("prompt" as const, "script" as const);

describe("a workflow", () => {
  it("never passes a variable that the user's env_pass does not list", () => {
    fc.assert(
      fc.property(anyKind, anyPatterns, anyPass, anyPass, anyName, (kind, limit, own, of, name) => {
        const step = stepEnvironment(
          kind,
          { ...UNSET, envPass: limit },
          { ...NO_ENVIRONMENT, pass: of },
          { ...NO_ENVIRONMENT, pass: own },
        );
        if (variableFilter(step, [], false)(name)) expect(matchesVariable(limit, name)).toBe(true);
      }),
    );
  });

  it("receives exactly the variables that the user and the state list", () => {
    fc.assert(
      fc.property(anyKind, anyPatterns, anyPatterns, anyName, (kind, limit, own, name) => {
        const both = matchesVariable(limit, name) && matchesVariable(own, name);
        expect(passes(kind, { envPass: limit }, { pass: own })(name)).toBe(both);
      }),
    );
  });
});
