import type { Argument, Command } from "commander";
import { BadFlagError } from "../../../config/errors.ts";
import { complete } from "../../completion/candidates.ts";
import { completionScript, FILES_LINE, SHELLS } from "../../completion/scripts.ts";
import type { Shell } from "../../shell.ts";
import { listed } from "../../words/words.ts";

export function define(command: Command, shell: Shell): void {
  command
    .addArgument(shellArgument(command))
    .argument("[words...]", "Words of the command line, for the scripts")
    .action(async (name: string, words: readonly string[]) => {
      if (name === WORDS && command.parent !== null) {
        await printCandidates(command.parent, words, shell);
        return;
      }
      const known = SHELLS.find((each) => each === name);
      if (known === undefined) throw new BadFlagError("SHELL", name, `one of ${SHELLS.join(", ")}`);
      shell.out.write(completionScript(known));
    });
}

/** The choices are checked by the action, which also knows {@link WORDS}. */
function shellArgument(command: Command): Argument {
  const argument = command.createArgument("<shell>", `Shell: ${listed(SHELLS)}`);
  argument.argChoices = [...SHELLS];
  return argument;
}

/** The call of the scripts is `raymond completion words -- …`. The last word has a colon before it. */
const WORDS = "words";

async function printCandidates(
  root: Command,
  words: readonly string[],
  shell: Shell,
): Promise<void> {
  const last = words.at(-1)?.replace(/^:/, "") ?? "";
  const { candidates, files } = await complete(root, [...words.slice(0, -1), last], shell);
  const lines = candidates.map(({ value, about }) => (about === "" ? value : `${value}\t${about}`));
  for (const line of [...lines, ...(files ? [FILES_LINE] : [])]) shell.out.line(line);
}
