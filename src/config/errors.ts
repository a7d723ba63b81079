import { defineErrors, RaymondError } from "../language/basics/errors.ts";
import { placeText as placeInFile } from "../language/basics/place.ts";
import { didYouMean } from "../language/workflow/quote.ts";

/** The source of a setting: a file and line, or an environment variable. */
export type SettingPlace =
  | { readonly file: string; readonly line: number | null }
  | { readonly variable: string };

/**
 * An invalid setting. Never ignored: a mistyped budget must not fall back to a default
 * (docs/configuration.md, "Errors and warnings").
 */
export class ConfigError extends RaymondError {
  override readonly name = "ConfigError";
  readonly code = "config/invalid";
  readonly place: SettingPlace;
  readonly key: string | null;

  constructor(facts: {
    readonly place: SettingPlace;
    readonly key: string | null;
    /** A clause: `is "lots", but must be …`. */
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

export class BadFlagError extends RaymondError {
  override readonly name = "BadFlagError";
  readonly code = "cli/bad-flag";

  /** The same error of a command whose help is printed by `help`. */
  readonly withHelp: (help: string) => BadFlagError;

  constructor(flag: string, value: string, expects: string, help = "raymond help run") {
    super(`${flag} cannot be "${value}": expected ${expects}.`, {
      hint: `${suggestChoice(value, expects)}Show the options and their values with: ${help}`,
    });
    this.withHelp = (other) => new BadFlagError(flag, value, expects, other);
  }
}

export const configErrors = defineErrors({
  /** A setting passed by a program. */
  "config/invalid": (field: string, problem: string) => ({
    message: `Invalid setting ${field}: ${problem}.`,
    hint: "See docs/library.md for passing settings and docs/configuration.md for their values.",
  }),

  /** Two settings of one source. */
  "config/two-levels": (level: string, skips: boolean) => ({
    message: `permissions = "${level}" and dangerously_skip_permissions = ${String(skips)} contradict each other.`,
    hint: 'Set only permissions: "full" is the same as dangerously_skip_permissions = true.',
  }),
});

/**
 * The start of a hint if a value is similar to one of the choices in a text: `Did you mean X? `.
 */
export function suggestChoice(value: string, expects: string): string {
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
