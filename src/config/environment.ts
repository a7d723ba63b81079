import { ConfigError, suggestChoice } from "./errors.ts";
import { mergedEntries, type Read, readText, readValue } from "./option.ts";
import { allOptions, type PartialSettings } from "./settings.ts";
import { suggestOption } from "./suggest-option.ts";
import type { Settings } from "./switches.ts";

/** The environment variables that are settings (docs/configuration.md, "Environment variables"). */
export function configVariables(): readonly string[] {
  return allOptions().flatMap(({ variable, alias }) => [variable, alias?.variable].filter(isSet));
}

/**
 * Reads settings from the environment. Throws {@link ConfigError} for an invalid variable. An empty
 * variable counts as unset: `RAYMOND_MODEL= raymond …`.
 */
export function readEnvironment(
  env: Readonly<Record<string, string | undefined>>,
): PartialSettings {
  const { settings, errors } = inspectEnvironment(env);
  const [first] = errors;
  if (first !== undefined) throw first;
  return settings;
}

/** Reads all valid settings from the environment, and all errors. */
export function inspectEnvironment(env: Readonly<Record<string, string | undefined>>): {
  readonly settings: PartialSettings;
  readonly errors: readonly ConfigError[];
} {
  const errors: ConfigError[] = [];
  const settings: Partial<Record<keyof Settings, unknown>> = {};
  for (const option of allOptions()) {
    const { variable, alias, expects } = option;
    const read = (name: string | undefined, parse: (text: string) => Read<unknown>) => {
      const text = name === undefined ? undefined : env[name];
      if (name === undefined || text === undefined || text === "") return;
      const { ok, value } = { value: null, ...parse(text) };
      if (ok) settings[option.field] = mergedEntries(settings[option.field], value);
      else errors.push(badVariable(name, text, expects));
    };
    if (alias !== undefined) {
      read(alias.variable, (text) => readValue(option, { [alias.entry]: text }));
    }
    read(variable, (text) => readText(option, text));
  }
  // Each value was parsed by the schema of its own field.
  return { settings: settings as PartialSettings, errors };
}

function badVariable(variable: string, text: string, expects: string): ConfigError {
  return new ConfigError({
    place: { variable },
    key: null,
    problem: `"${text}" is not ${expects}`,
    hint: `${suggestChoice(text, expects)}Correct the environment variable ${variable}, or unset it.`,
  });
}

function isSet(variable: string | undefined): variable is string {
  return variable !== undefined;
}

/**
 * Warnings about unknown `RAYMOND_*` variables, with suggestions. `own` are variables that raymond
 * sets for child processes, and that a nested raymond inherits. Values are omitted because they may
 * be secret.
 */
export function unknownVariables(
  env: Readonly<Record<string, string | undefined>>,
  own: ReadonlySet<string>,
): readonly string[] {
  const known = configVariables();
  return Object.entries(env)
    .filter(([name, value]) => name.startsWith(PREFIX) && value !== undefined && value !== "")
    .filter(([name]) => !own.has(name) && !known.includes(name))
    .map(([name]) => `unknown environment variable ${name} is ignored${instead(name)}`);
}

const PREFIX = "RAYMOND_";

function instead(name: string): string {
  const meant = suggestOption(name.slice(PREFIX.length));
  if (meant === null) return ". List the known ones with: raymond help environment";
  const { key, variable } = meant.option;
  if (variable !== undefined) return `; did you mean ${variable}?`;
  return `; set ${key} in config.toml or with a flag.`;
}
