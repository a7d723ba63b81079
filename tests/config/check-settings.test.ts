import { describe, expect, it } from "vitest";
import { checkSettings } from "../../src/config/check-settings.ts";
import { DEFAULTS } from "../../src/config/settings.ts";

describe("settings passed by a program", () => {
  it("accepts every valid setting", () => {
    checkSettings(DEFAULTS);
    checkSettings({ budgetMicroUsd: 1, timeoutMs: 1, maxSteps: 3, tools: [], model: "opus" });
    checkSettings({
      budgetMicroUsd: null,
      tools: ["Read"],
      clients: { claude: "/bin/claude" },
      notify: "true",
    });
    checkSettings({ wait: undefined });
  });

  it.each([
    [{ maxParallel: 0 }, "maxParallel", "is 0, but must be a whole number from 1"],
    [{ maxSteps: 1.5 }, "maxSteps", "is 1.5"],
    [{ budgetMicroUsd: -1 }, "budgetMicroUsd", "in micro-dollars"],
    [{ timeoutMs: Number.NaN }, "timeoutMs", "in milliseconds"],
    [{ maxWaitMs: null }, "maxWaitMs", "is null"],
    [{ effort: "huge" }, "effort", 'is "huge"'],
    [{ wait: "yes" }, "wait", "but must be true or false"],
    [{ model: true }, "model", "is true"],
    [{ budget: 5 }, "budget", "unknown setting"],
    [{ constructor: 5 }, "constructor", "unknown setting"],
  ])("rejects %j", (given, field, problem) => {
    expect(() => {
      checkSettings(given as object);
    }).toThrow(
      expect.objectContaining({
        code: "config/invalid",
        message: expect.stringMatching(
          new RegExp(`^Invalid setting ${field}: .*${problem}`),
        ) as string,
      }),
    );
  });
});
