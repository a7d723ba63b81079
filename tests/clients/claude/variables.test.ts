import { describe, expect, it } from "vitest";
import { claudeVariables } from "../../../src/clients/claude/variables.ts";

describe("the variables that Claude Code receives", () => {
  it("include those of a provider of models only while it is in use", () => {
    expect(claudeVariables({ CLAUDE_CODE_USE_BEDROCK: "1" })).toContain("AWS_*");
    expect(claudeVariables({ CLAUDE_CODE_USE_BEDROCK: "0" })).not.toContain("AWS_*");
    expect(claudeVariables({})).not.toContain("AWS_*");
  });
});
