import { Command, type Option } from "commander";
import { cliErrors } from "../words/errors.ts";
import { fromCommander, helpOf, pathOf } from "./commander-errors.ts";

/** A command whose usage errors are errors of raymond. Commands that are added to it are of this class as well. */
export class RaymondCommand extends Command {
  constructor(name?: string) {
    super(name);
    this.helpOption("-h, --help", "Show help").hook("preSubcommand", passOptionsOn);
    this.reportErrors();
  }

  override createCommand(name?: string): Command {
    return new RaymondCommand(name);
  }

  override copyInheritedSettings(parent: Command): this {
    return super.copyInheritedSettings(parent).reportErrors();
  }

  private reportErrors(): this {
    return this.exitOverride((error) => {
      throw fromCommander(error, this) ?? error;
    });
  }
}

/** An option before the name of a command belongs to that command. It is never ignored. */
function passOptionsOn(parent: Command, command: Command): void {
  for (const option of parent.options) {
    if (!isGiven(option, parent)) continue;
    const name = option.attributeName();
    if (!command.options.some((own) => own.attributeName() === name)) {
      throw cliErrors["cli/unknown-option"](
        `${pathOf(command)} has no option ${option.long ?? option.flags}.`,
        `Show its options with: ${helpOf(command)}`,
      );
    }
    command.setOptionValueWithSource(name, parent.getOptionValue(name), "cli");
  }
}

export function givenFlags(command: Command): readonly string[] {
  return command.options
    .filter((option) => isGiven(option, command))
    .map(({ long, flags }) => long ?? flags);
}

/** `--debug` and `--no-debug` share an attribute: its value shows which of them was given. */
function isGiven(option: Option, command: Command): boolean {
  const name = option.attributeName();
  if (command.getOptionValueSource(name) !== "cli") return false;
  return option.negate === (command.getOptionValue(name) === false);
}
