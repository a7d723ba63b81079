import type { RunSettings } from "../core/machine/run-state.ts";
import { ConfigError } from "./errors.ts";
import { readText } from "./option.ts";
import { allOptions, type PartialSettings } from "./settings.ts";

/** The settings that the environment may give: a closed list (spec 4). */
export function configVariables(): readonly string[] {
  return allOptions().flatMap((option) => option.variable ?? []);
}

/**
 * What the environment says. Throws {@link ConfigError} that names the
 * variable. An empty variable counts as not set, as `RAYMOND_MODEL= raymond …`
 * is how a shell takes one away.
 */
export function readEnvironment(
  env: Readonly<Record<string, string | undefined>>,
): PartialSettings {
  const settings: Partial<Record<keyof RunSettings, unknown>> = {};
  for (const option of allOptions()) {
    const text = option.variable === undefined ? undefined : env[option.variable];
    if (option.variable === undefined || text === undefined || text === "") continue;
    const read = readText(option, text);
    if (!read.ok) {
      throw new ConfigError({
        place: { variable: option.variable },
        key: null,
        problem: `"${text}" is not ${option.expects}`,
        hint: `Correct the variable ${option.variable} of the environment, or unset it.`,
      });
    }
    settings[option.field] = read.value;
  }
  // Each value came out of the schema of its own field.
  return settings as PartialSettings;
}
