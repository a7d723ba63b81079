import { describe, expect, it } from "vitest";
import { modelTypo, toolTypo } from "../../../../src/language/workflow/policy/known-names.ts";

describe("modelTypo", () => {
  it.each([
    ["opsu", "opus"],
    ["sonet", "sonnet"],
    ["Haiku", "haiku"],
    ["hiaku", "haiku"],
  ])("suspects %s", (model, meant) => {
    expect(modelTypo(model)).toBe(`Unknown model "${model}". Did you mean ${meant}?`);
  });

  it.each(["opus", "sonnet[1m]", "claude-opus-4-1", "us.anthropic.claude", "llama", "gpt", ""])(
    "leaves %s alone",
    (model) => {
      expect(modelTypo(model)).toBeNull();
    },
  );
});

describe("toolTypo", () => {
  it.each([
    ["Bsah", "Bash"],
    ["Bsah(git *)", "Bash"],
    [" Raed ", "Read"],
    ["WebFtech(domain:x.org)", "WebFetch"],
  ])("suspects %s", (rule, meant) => {
    expect(toolTypo(rule)).toMatch(new RegExp(`^Unknown tool .* Did you mean ${meant}\\?$`));
  });

  it.each(["Bash", "bash", "Read(/x)", "ls", "mcp__github__list", "deploy", "", "(x)"])(
    "leaves %s alone",
    (rule) => {
      expect(toolTypo(rule)).toBeNull();
    },
  );
});
