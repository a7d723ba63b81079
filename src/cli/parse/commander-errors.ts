import type { Command, CommanderError } from "commander";
import { BadFlagError } from "../../config/errors.ts";
import type { RaymondError } from "../../language/basics/errors.ts";
import { nearest } from "../../language/basics/nearest.ts";
import { cliErrors } from "../words/errors.ts";

const CODES: ReadonlyMap<string, UsageCode> = new Map([
  ["commander.unknownOption", "cli/unknown-option"],
  ["commander.unknownCommand", "cli/unknown-command"],
  ["commander.missingArgument", "cli/missing-argument"],
  ["commander.optionMissingArgument", "cli/missing-argument"],
  ["commander.missingMandatoryOptionValue", "cli/missing-argument"],
  ["commander.excessArguments", "cli/too-many-arguments"],
] as const);

type UsageCode =
  | "cli/unknown-option"
  | "cli/unknown-command"
  | "cli/missing-argument"
  | "cli/too-many-arguments";

/**
 * An error of commander as an error of raymond: with a code, and a hint that names the help of the command.
 * Null for the end of `--help` and `--version`, which commander reports as an error as well.
 */
export function fromCommander(error: CommanderError, command: Command): RaymondError | null {
  if (error.exitCode === 0) return null;
  const path = pathOf(command);
  const help = `Show its options with: ${helpOf(command)}`;
  const [word = ""] = command.args;
  const isGroup = command.parent !== null && command.commands.length > 0;
  if (error.code === "commander.excessArguments" && isGroup) {
    const meant = nearest(
      word,
      command.commands.map((each) => each.name()),
    );
    const guess = meant === null ? "" : `Did you mean: ${path} ${meant}? `;
    return cliErrors["cli/unknown-command"](`Unknown command "${path} ${word}".`, guess + help);
  }
  if (error.code === "commander.invalidArgument")
    return badValue(error.message).withHelp(helpOf(command));
  const [first = "", suggestion] = error.message.replace(/^error: /, "").split("\n");
  const guess = suggestion === undefined ? "" : `${suggestion.replaceAll(/[()]/g, "")} `;
  const text = first
    .replaceAll("'", "")
    .replaceAll(/<([^>]+)>/g, (_, name: string) => name.toUpperCase());
  const message = `${text.charAt(0).toUpperCase()}${text.slice(1)}`.replace(/\.?$/, ".");
  const code = CODES.get(error.code) ?? "cli/flag-conflict";
  return cliErrors[code](message, guess + help);
}

/** A value that an option or an argument does not accept, in the words of other wrong values. */
function badValue(text: string): BadFlagError {
  const [, flag, value = "", name = "", reason = ""] =
    /^error: (?:option '.*?(--[\w-]+).*?' argument|command-argument value) '(.*?)' is invalid(?: for argument '(.*?)')?\. (.*)$/s.exec(
      text,
    ) ?? [];
  const choices = reason.replace(/^Allowed choices are /, "one of ").replace(/\.$/, "");
  return new BadFlagError(flag ?? name.toUpperCase(), value, choices);
}

/** The command that prints the help of a command. `raymond WORKFLOW` has the options of `raymond run`. */
export function helpOf(command: Command): string {
  return command.parent === null ? "raymond help run" : `${pathOf(command)} --help`;
}

/** `raymond fleet limits`. */
export function pathOf(command: Command): string {
  const { parent } = command;
  return parent === null ? command.name() : `${pathOf(parent)} ${command.name()}`;
}
