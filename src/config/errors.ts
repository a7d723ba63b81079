import { RaymondError } from "../core/errors.ts";
import { placeText as placeInFile } from "../core/place.ts";
import { didYouMean } from "../core/workflow/meant.ts";

/** Where in a configuration something stands: a file and line, or a variable of the environment. */
export type SettingPlace =
  | { readonly file: string; readonly line: number | null }
  | { readonly variable: string };

/**
 * A setting that was given and cannot be used. Never ignored: a mistyped budget
 * must not fall back to a default (docs/configuration.md, "What is wrong is an
 * error").
 */
export class ConfigError extends RaymondError {
  override readonly name = "ConfigError";
  readonly code = "config/invalid";
  readonly place: SettingPlace;
  /** The key, where there is one. */
  readonly key: string | null;

  constructor(facts: {
    readonly place: SettingPlace;
    readonly key: string | null;
    /** What is wrong, as a clause: `is "lots", but must be …`. */
    readonly problem: string;
    readonly hint: string;
    readonly cause?: unknown;
  }) {
    const subject = facts.key === null ? "" : `${facts.key} `;
    super(`${settingPlace(facts.place)}: ${subject}${facts.problem}.`, {
      hint: facts.hint,
      cause: facts.cause,
    });
    this.place = facts.place;
    this.key = facts.key;
  }
}

/** A flag of the command line with a value that it does not take. */
export class BadFlagError extends RaymondError {
  override readonly name = "BadFlagError";
  readonly code = "cli/bad-flag";
  readonly flag: string;
  readonly value: string;

  constructor(flag: string, value: string, expects: string) {
    super(`${flag} cannot be "${value}": it takes ${expects}.`, {
      hint: `${choiceMeant(value, expects)}\`raymond help COMMAND\` lists the flags of a command with what they take.`,
    });
    this.flag = flag;
    this.value = value;
  }
}

/** The beginning of a hint, where a value is near to one of the choices that a text lists: `Did you mean X? `. */
export function choiceMeant(value: string, expects: string): string {
  const list = expects.replaceAll('"', "").replace(/^one of /, "");
  if (!/^[\w-]+(?:, [\w-]+)*(?: or [\w-]+)?$/.test(list)) return "";
  return didYouMean(value, list.split(/, | or /));
}

/** `path:line`, the path alone, or the name of the variable. */
export function settingPlace(place: SettingPlace): string {
  if ("variable" in place) return place.variable;
  const { file, line } = place;
  return placeInFile(file, line === null ? null : { line });
}
