import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  baseEnvironment,
  joinEnvironments,
  scriptEnvironment,
} from "../../../src/engine/executors/environment.ts";
import { scriptStep } from "../../support/engine/script-step.ts";

const OWN = {
  RAYMOND_WORKFLOW_ID: "wf-2026-11-21-abc123",
  RAYMOND_AGENT_ID: "main",
  RAYMOND_STATE_DIR: "/flow",
  RAYMOND_STATE_FILE: "/flow/BUILD.sh",
  RAYMOND_ATTEMPT: "1",
  RAYMOND_ATTRIBUTES: "{}",
  RAYMOND_STEP_TOKEN: "run.1",
};
const KIB_64 = 64 * 1024;

describe("baseEnvironment", () => {
  it("keeps the launcher's environment except markers of an outer agent or run", () => {
    const outer = { ...OWN, RAYMOND_RESULT: "", RAYMOND_RESULT_FILE: "/tmp/r", MARK: "1" };
    const kept = { PATH: "/bin", EMPTY: "", RAYMOND_BUDGET: "5", CLAUDE_CONFIG_DIR: "/c" };

    expect(baseEnvironment({ ...kept, ...outer, UNSET: undefined }, new Set(["MARK"]))).toEqual(
      kept,
    );
  });
});

describe("scriptEnvironment", () => {
  it("sets run, agent, state, attempt and token, and no result without one", () => {
    expect(scriptEnvironment(scriptStep(), null)).toEqual(OWN);
  });

  it("counts attempts", () => {
    expect(scriptEnvironment(scriptStep({ attempt: 3 }), null)).toMatchObject({
      RAYMOND_ATTEMPT: "3",
    });
  });

  it.each([
    ["an ordinary payload", "two\nlines", true, "unix"],
    ["an empty payload", "", true, "unix"],
    ["64 KiB", "x".repeat(KIB_64), true, "unix"],
    ["one byte more", "x".repeat(KIB_64 + 1), false, "unix"],
    ["64 KiB in fewer characters", "ü".repeat(KIB_64 / 2), true, "unix"],
    ["more than 64 KiB in fewer characters", "ü".repeat(KIB_64 / 2 + 1), false, "unix"],
    ["a NUL", "a\0b", false, "unix"],
    ["what Windows can hold", "x".repeat(32_000), true, "windows"],
    ["more than Windows can hold", "x".repeat(32_001), false, "windows"],
  ] as const)(
    "passes %s in the file, and in the variable: %#",
    (_what, payload, inVariable, platform) => {
      const added = scriptEnvironment(scriptStep({ pendingResult: payload, platform }), "/tmp/r");

      expect(added["RAYMOND_RESULT_FILE"]).toBe("/tmp/r");
      expect(added["RAYMOND_RESULT"]).toBe(inVariable ? payload : undefined);
      expect(added["RAYMOND_INPUT_FILE"]).toBe("/tmp/r");
      expect(added["RAYMOND_INPUT"]).toBe(inVariable ? payload : undefined);
    },
  );

  it.each(["%PATH%", "a & calc", "two\nlines"])(
    "passes %j to a batch file only in the file, because cmd.exe would execute it",
    (pendingResult) => {
      const { file } = scriptStep();
      const batch = scriptStep({ file: { ...file, name: "BUILD.bat" }, pendingResult });

      const added = scriptEnvironment(batch, "C:\\r");

      expect(added["RAYMOND_RESULT_FILE"]).toBe("C:\\r");
      expect(added["RAYMOND_RESULT"]).toBeUndefined();
      expect(added["RAYMOND_INPUT"]).toBeUndefined();
    },
  );

  it("adds attributes without replacing raymond's own variables", () => {
    const attributes = { item: "issue 12", RAYMOND_AGENT_ID: "x", raymond_result: "y" };

    expect(scriptEnvironment(scriptStep({ attributes }), null)).toEqual({
      ...OWN,
      RAYMOND_ATTRIBUTES: JSON.stringify(attributes),
      item: "issue 12",
    });
  });

  it("withholds attributes whose names the workflow does not declare, but for RAYMOND_ATTRIBUTES", () => {
    const attributes = { item: "7", RM: "touch pwned", TARGET_DIR: "out" };

    expect(scriptEnvironment(scriptStep({ attributes, withheld: ["RM"] }), null)).toEqual({
      ...OWN,
      RAYMOND_ATTRIBUTES: JSON.stringify(attributes),
      item: "7",
      TARGET_DIR: "out",
    });
  });

  it("omits RAYMOND_ATTRIBUTES if they do not fit into a variable, or cmd.exe would execute them", () => {
    const { file } = scriptStep();
    const large = { one: "x".repeat(KIB_64), two: "y" };
    const batch = { file: { ...file, name: "BUILD.bat" }, attributes: { item: "7" } };

    expect(scriptEnvironment(scriptStep({ attributes: large }), null)).not.toHaveProperty(
      "RAYMOND_ATTRIBUTES",
    );
    expect(scriptEnvironment(scriptStep(batch), null)).not.toHaveProperty("RAYMOND_ATTRIBUTES");
  });

  it("passes every attribute under its own name", () => {
    const name = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]*$/);
    fc.assert(
      fc.property(fc.dictionary(name, fc.string()), (attributes) => {
        const added = new Map(Object.entries(scriptEnvironment(scriptStep({ attributes }), null)));

        const own = { ...OWN, RAYMOND_ATTRIBUTES: JSON.stringify(attributes) };
        for (const [key, value] of Object.entries(own)) expect(added.get(key)).toBe(value);
        for (const [key, value] of Object.entries(attributes)) {
          if (!/^raymond_/i.test(key)) expect(added.get(key)).toBe(value);
        }
      }),
    );
  });
});

describe("joinEnvironments", () => {
  const base = { Path: "C:\\bin", Item: "old", OTHER: "kept" };

  it("keeps names that differ in case separate on Unix", () => {
    expect(joinEnvironments(base, { item: "new" }, "unix")).toEqual({ ...base, item: "new" });
  });

  it("treats names that differ in case as equal on Windows", () => {
    expect(joinEnvironments(base, { item: "new" }, "windows")).toEqual({
      Path: "C:\\bin",
      OTHER: "kept",
      item: "new",
    });
  });
});
