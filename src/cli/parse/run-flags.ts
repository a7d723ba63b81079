import { readFlag } from "../../config/flags.ts";
import { flagName } from "../../config/option.ts";
import { allOptions } from "../../config/settings.ts";
import type { Settings } from "../../config/switches.ts";
import { runErrors } from "../../run/errors.ts";
import { attributeOf, type RunOptions } from "./run-options.ts";

/** The settings among the options. Throws a RaymondError that names the flag. */
export function settingsOf(options: object): Partial<Settings> {
  const given = new Map<string, unknown>(Object.entries(options));
  const said = allOptions().flatMap((option) => {
    const value = given.get(attributeOf(flagName(option)));
    if (typeof value === "boolean") return [[option.field, value] as const];
    return typeof value === "string" ? [[option.field, readFlag(option, value)] as const] : [];
  });
  return Object.fromEntries(said);
}

/** `--var name=value`, each name once. */
export function variablesOf(options: RunOptions): Readonly<Record<string, string>> {
  const variables = new Map<string, string>();
  for (const given of options.var ?? []) {
    const at = given.indexOf("=");
    if (at < 0) throw runErrors["cli/bad-variable"](given, "Expected NAME=VALUE.");
    const name = given.slice(0, at);
    if (variables.has(name)) {
      throw runErrors["cli/bad-variable"](given, `The name ${name} is given twice.`);
    }
    variables.set(name, given.slice(at + 1));
  }
  // `fromEntries` also supports the name __proto__.
  return Object.fromEntries(variables);
}
