import { programName } from "../runs/program-name.ts";
import { ABOUT_RUNS } from "./subcommands.ts";

/** How raymond was called for the runs of a folder; known also where the words are refused before they are parsed. */
export function calledBy(words: readonly string[]): string {
  const at = words.findLastIndex((word) => word === FLAG || word.startsWith(`${FLAG}=`));
  const stateDir = words[at] === FLAG ? words[at + 1] : words[at]?.slice(FLAG.length + 1);
  return programName({ stateDir });
}

/** A hint whose commands the user can copy: it says `raymond`, and knows nothing of the folder that was named. */
export function asCalled(hint: string, program: string): string {
  const commands = ["run", "resume", "--resume", "WORKFLOW", ...ABOUT_RUNS].join("|");
  return hint.replace(new RegExp(`\\braymond(?= (?:${commands})(?![\\w-]))`, "g"), () => program);
}

const FLAG = "--state-dir";
