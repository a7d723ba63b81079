import { ConfigError, choiceMeant } from "./errors.ts";
import { meantOption } from "./meant.ts";
import { readText } from "./option.ts";
import { allOptions, type PartialSettings } from "./settings.ts";
import type { Settings } from "./switches.ts";

/**
 * The settings that the environment may give: a closed list
 * (docs/configuration.md, "The environment").
 */
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
  const { settings, errors } = inspectEnvironment(env);
  const [first] = errors;
  if (first !== undefined) throw first;
  return settings;
}

/** What of the environment can be used, and all that is wrong with it. */
export function inspectEnvironment(env: Readonly<Record<string, string | undefined>>): {
  readonly settings: PartialSettings;
  readonly errors: readonly ConfigError[];
} {
  const errors: ConfigError[] = [];
  const settings: Partial<Record<keyof Settings, unknown>> = {};
  for (const option of allOptions()) {
    const text = option.variable === undefined ? undefined : env[option.variable];
    if (option.variable === undefined || text === undefined || text === "") continue;
    const read = readText(option, text);
    if (!read.ok) {
      errors.push(
        new ConfigError({
          place: { variable: option.variable },
          key: null,
          problem: `"${text}" is not ${option.expects}`,
          hint: `${choiceMeant(text, option.expects)}Correct the variable ${option.variable} of the environment, or unset it.`,
        }),
      );
      continue;
    }
    settings[option.field] = read.value;
  }
  // Each value came out of the schema of its own field.
  return { settings: settings as PartialSettings, errors };
}

/**
 * Sentences about `RAYMOND_*` variables that nobody reads, with what was
 * probably meant. `own` are those that raymond sets for what it starts: a raymond
 * in a step of another finds them. Values are not told: they may be secret.
 */
export function unknownVariables(
  env: Readonly<Record<string, string | undefined>>,
  own: ReadonlySet<string>,
): readonly string[] {
  const known = configVariables();
  return Object.entries(env)
    .filter(([name, value]) => name.startsWith(PREFIX) && value !== undefined && value !== "")
    .filter(([name]) => !own.has(name) && !known.includes(name))
    .map(([name]) => `raymond does not read ${name}, so it is ignored${instead(name)}`);
}

const PREFIX = "RAYMOND_";

function instead(name: string): string {
  const meant = meantOption(name.slice(PREFIX.length));
  if (meant === null) return "; raymond help environment lists those that it reads.";
  const { key, variable } = meant.option;
  if (variable !== undefined) return `; did you mean ${variable}?`;
  return `; ${key} is set by the configuration or a flag.`;
}
