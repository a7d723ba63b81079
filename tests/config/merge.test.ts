import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseConfig } from "../../src/config/load.ts";
import { mergeSettings } from "../../src/config/merge.ts";
import { DEFAULTS } from "../../src/config/settings.ts";

const file = (text: string) => parseConfig("/repo/.raymond/config.toml", `[raymond]\n${text}`);

describe("mergeSettings", () => {
  it("uses defaults for unset settings", () => {
    const { settings, origins, notices } = mergeSettings({
      flags: {},
      environment: {},
      file: null,
    });

    expect(settings).toEqual(DEFAULTS);
    expect(new Set(Object.values(origins))).toEqual(new Set(["default"]));
    expect(notices).toEqual([]);
  });

  it("applies flags over environment over file over defaults, for each setting", () => {
    const { settings, origins } = mergeSettings({
      flags: { model: "opus", effort: undefined },
      environment: { model: "sonnet", budgetMicroUsd: 1 },
      file: file('model = "haiku"\nbudget = 3\neffort = "low"\n'),
    });

    expect(settings).toEqual({ ...DEFAULTS, model: "opus", budgetMicroUsd: 1, effort: "low" });
    expect(origins).toMatchObject({
      model: "flag",
      budgetMicroUsd: "environment",
      effort: "file",
      timeoutMs: "default",
    });
  });

  it("treats null as a value: no limit", () => {
    const { settings, origins } = mergeSettings({
      flags: { budgetMicroUsd: null },
      environment: {},
      file: file("budget = 3"),
    });

    expect(settings.budgetMicroUsd).toBeNull();
    expect(origins.budgetMicroUsd).toBe("flag");
  });

  it("reports permissions from a file with its path and line", () => {
    const config = file(
      'dangerously_skip_permissions = true\nallowed_tools = ["Bash"]\nclaude = "./claude"\nnotify = "curl x"\n',
    );
    const merged = mergeSettings({ flags: {}, environment: {}, file: config });

    expect(merged.notices).toEqual([
      "dangerously_skip_permissions = true comes from /repo/.raymond/config.toml:2.",
      'allowed_tools = ["Bash"] comes from /repo/.raymond/config.toml:3.',
      'client.claude = "./claude" comes from /repo/.raymond/config.toml:4.',
      'notify = "curl x" comes from /repo/.raymond/config.toml:5.',
    ]);
  });

  it("does not report permissions from flags, or defaults", () => {
    const merged = mergeSettings({
      flags: { skipPermissions: true },
      environment: {},
      file: file("dangerously_skip_permissions = true\n"),
    });
    const harmless = mergeSettings({
      flags: {},
      environment: {},
      file: file('dangerously_skip_permissions = false\nclaude = "claude"\n'),
    });

    expect(merged.notices).toEqual([]);
    expect(harmless.notices).toEqual([]);
  });

  it("uses the first source of each setting, for all combinations", () => {
    const some = fc.record(
      { model: fc.option(fc.string()), maxParallel: fc.nat(), wait: fc.boolean() },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(some, some, some, (flags, environment, settings) => {
        const config = { file: "f", settings, lines: {}, warnings: [] };
        const merged = mergeSettings({ flags, environment, file: config });

        expect(merged.settings).toEqual({ ...DEFAULTS, ...settings, ...environment, ...flags });
      }),
    );
  });
});
