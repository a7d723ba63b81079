import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { configTemplate } from "../../src/author/init-config.ts";
import { parseConfig } from "../../src/config/load.ts";
import { printValue } from "../../src/config/option.ts";
import { allOptions, DEFAULTS } from "../../src/config/settings.ts";

/** The template with every `# key = value` made active. */
function uncommented(): string {
  return configTemplate().replace(/^# (?=[a-z_]+ = )/gm, "");
}

describe("configTemplate", () => {
  it("has no effect without changes", () => {
    expect(parseConfig("t", configTemplate())).toMatchObject({ settings: {}, warnings: [] });
  });

  it("contains every option with its default: uncommented it equals the defaults", () => {
    expect(parseConfig("t", uncommented())).toMatchObject({ settings: DEFAULTS, warnings: [] });
  });

  it("describes every option in the line above it", () => {
    const lines = configTemplate().split("\n");
    for (const option of allOptions()) {
      const at = lines.indexOf(`# ${option.key} = ${printValue(option, option.default)}`);
      expect(lines[at - 1], option.key).toBe(`# ${option.help}`);
      expect(option.help.length, option.key).toBeLessThan(100);
    }
  });
});

describe("docs/configuration.md", () => {
  it("has a row for every option with its default and its variable", async () => {
    const docs = await readFile(new URL("../../docs/configuration.md", import.meta.url), "utf8");
    for (const option of allOptions()) {
      const row = docs.split("\n").find((line) => line.startsWith(`| \`${option.key}\` |`));
      expect(row, option.key).toContain(`\`${printValue(option, option.default)}\``);
      if (option.variable !== undefined) expect(row).toContain(`\`${option.variable}\``);
    }
  });
});
