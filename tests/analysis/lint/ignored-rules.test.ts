import { describe, expect, it } from "vitest";
import { isIgnored } from "../../../src/analysis/lint/ignored-rules.ts";

const finding = { rule: "RAY401", severity: "warning" } as const;

describe("isIgnored", () => {
  it.each([
    "#!/bin/bash\n# raymond-lint-ignore RAY401: runs forever\n",
    "# raymond-lint-ignore RAY207, RAY401: both",
    "echo x # raymond-lint-ignore RAY401",
    "rem raymond-lint-ignore RAY401: runs forever",
    ":: raymond-lint-ignore RAY401",
    "<!-- raymond-lint-ignore RAY401: runs forever -->",
    "---\nmodel: opus # raymond-lint-ignore RAY401\n---\n",
  ])("accepts a comment: %j", (text) => {
    expect(isIgnored(finding, text, [])).toBe(true);
  });

  it.each([
    "",
    "# raymond-lint-ignore",
    "# raymond-lint-ignore RAY402: another rule",
    "# raymond-lint-ignore RAY402: not RAY401",
    "Never write raymond-lint-ignore RAY401 into a file.",
  ])("needs a comment that names the rule: %j", (text) => {
    expect(isIgnored(finding, text, [])).toBe(false);
  });

  it("accepts the rules of the workflow", () => {
    expect(isIgnored(finding, "", ["RAY401"])).toBe(true);
    expect(isIgnored(finding, "", ["RAY402"])).toBe(false);
  });

  it("never accepts errors", () => {
    const text = "# raymond-lint-ignore RAY401";

    expect(isIgnored({ ...finding, severity: "error" }, text, ["RAY401"])).toBe(false);
  });
});
