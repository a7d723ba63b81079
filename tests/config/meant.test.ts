import { describe, expect, it } from "vitest";
import { meantOption } from "../../src/config/meant.ts";
import { allOptions } from "../../src/config/settings.ts";

describe("meantOption", () => {
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
  ])("takes %s for %s", (name, key, opposite) => {
    expect(meantOption(name)).toMatchObject({ option: { key }, opposite });
  });

  it.each(["", "quiet", "no_budget_at_all", "x", "_", "--"])("takes %j for nothing", (name) => {
    expect(meantOption(name)).toBeNull();
  });

  it("takes every key for itself", () => {
    for (const option of allOptions()) {
      expect(meantOption(option.key)).toEqual({ option, opposite: false });
    }
  });
});
