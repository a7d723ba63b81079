import { readFlag } from "../config/flags.ts";
import { flagName } from "../config/option.ts";
import { allOptions } from "../config/settings.ts";
import type { Settings } from "../config/switches.ts";
import { BadVariableError } from "../runs/given-errors.ts";
import { attributeOf, type RunOptions } from "./run-options.ts";

/**
 * The settings that the command line gives: each flag is called like its key in
 * the file. Throws a RaymondError that names the flag.
 */
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
    if (at < 0) throw new BadVariableError(given, "It has no = between name and value.");
    const name = given.slice(0, at);
    if (variables.has(name)) {
      throw new BadVariableError(given, `The name ${name} is given twice.`);
    }
    variables.set(name, given.slice(at + 1));
  }
  // Not by assignment: a variable may be called __proto__.
  return Object.fromEntries(variables);
}
