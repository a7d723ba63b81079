import { describe, expect, it } from "vitest";
import { allOptions } from "../../src/config/settings.ts";
import { suggestOption } from "../../src/config/suggest-option.ts";

describe("suggestOption", () => {
  it.each([
    ["no_debug", "debug", true],
    ["nodebug", "debug", true],
    ["no-keep-going", "keep_going", true],
    ["--no-wait", "wait", true],
    ["keep-going", "keep_going", false],
    ["--allowed-tools", "allowed_tools", false],
    ["Budget", "budget", false],
    ["budget_usd", "budget", false],
    ["timeout_s", "timeout", false],
    ["skip_permissions", "dangerously_skip_permissions", false],
    ["bugdet", "budget", false],
  ])("suggests for %s: %s", (name, key, opposite) => {
    expect(suggestOption(name)).toMatchObject({ option: { key }, opposite });
  });

  it.each(["", "quiet", "no_budget_at_all", "x", "_", "--"])("suggests nothing for %j", (name) => {
    expect(suggestOption(name)).toBeNull();
  });

  it("suggests each key for itself", () => {
    for (const option of allOptions()) {
      expect(suggestOption(option.key)).toEqual({ option, opposite: false });
    }
  });
});
