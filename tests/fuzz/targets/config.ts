import { configTemplate } from "../../../src/author/init-config.ts";
import { parseConfig } from "../../../src/config/load.ts";
import { RaymondError } from "../../../src/language/basics/errors.ts";
import type { Target } from "../target.ts";

/** A configuration: settings of the right kind, or a RaymondError. */
export const configTarget: Target = {
  name: "config",
  words: [
    ...["[raymond]\n", "[[raymond]]\n", "[raymond.x]\n", "budget = ", "model = ", "timeout = "],
    ...[
      "tools = [",
      "claude = ",
      "notify = ",
      "dangerously_skip_permissions = true\n",
      '"default"',
    ],
    ...['"none"', "10.0", "-1", "nan", "inf", "1e400", "0x1F", "1979-05-27", "07:32:00", "true"],
    ...["[", "]", "{", "}", '"', '"""', "'''", "'", "=", ".", "#", "\n", "\r\n", "\\u0000", ","],
    ...["__proto__ = ", "[__proto__]\n", "constructor.prototype.x = 1\n", "\u0000", "\ufeff", "é"],
  ],
  seeds: () => [Buffer.from(configTemplate()), Buffer.from(configTemplate().replaceAll("# ", ""))],
  broken(input) {
    try {
      const { settings, warnings } = parseConfig("config.toml", input.toString());
      for (const value of Object.values(settings)) {
        if (typeof value === "number" && !(Number.isFinite(value) && value >= 0)) {
          return `A setting is ${String(value)}.`;
        }
      }
      return warnings.some((text) => text.includes("\n")) ? "A warning has several lines." : null;
    } catch (error) {
      if (error instanceof RaymondError) return null;
      throw error;
    }
  },
};
