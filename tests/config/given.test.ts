import { describe, expect, it } from "vitest";
import { checkGiven } from "../../src/config/given.ts";
import { DEFAULTS } from "../../src/config/settings.ts";

describe("settings that a program gives", () => {
  it("may be all that a run can have", () => {
    checkGiven(DEFAULTS);
    checkGiven({ budgetMicroUsd: 1, timeoutMs: 1, maxSteps: 3, tools: [], model: "opus" });
    checkGiven({ budgetMicroUsd: null, tools: ["Read"], client: "/bin/claude", notify: "true" });
    checkGiven({ wait: undefined });
  });

  it.each([
    [{ maxParallel: 0 }, "maxParallel", "it is 0, and must be a whole number from 1"],
    [{ maxSteps: 1.5 }, "maxSteps", "it is 1.5"],
    [{ budgetMicroUsd: -1 }, "budgetMicroUsd", "and here in micro-dollars"],
    [{ timeoutMs: Number.NaN }, "timeoutMs", "and here in milliseconds"],
    [{ maxWaitMs: null }, "maxWaitMs", "it is null"],
    [{ effort: "huge" }, "effort", 'it is "huge"'],
    [{ wait: "yes" }, "wait", "and must be true or false"],
    [{ model: true }, "model", "it is true"],
    [{ budget: 5 }, "budget", "there is none"],
    [{ constructor: 5 }, "constructor", "there is none"],
  ])("are refused where no run can have them: %j", (given, field, problem) => {
    expect(() => {
      checkGiven(given as object);
    }).toThrow(
      expect.objectContaining({
        code: "config/invalid",
        message: expect.stringMatching(new RegExp(`^The setting ${field} .*${problem}`)) as string,
      }),
    );
  });
});
