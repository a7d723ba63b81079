import { programName } from "../runs/program-name.ts";

/** A hint with commands that the user can copy: it says `raymond`, and knows nothing of the folder that was named. */
export type AsCalled = (hint: string) => string;

/** What was called by these words, of which `commands` are told where the runs are. Known before they are parsed. */
export function calledBy(words: readonly string[], commands: readonly string[]): AsCalled {
  const at = words.findLastIndex((word) => word === FLAG || word.startsWith(`${FLAG}=`));
  const stateDir = words[at] === FLAG ? words[at + 1] : words[at]?.slice(FLAG.length + 1);
  const program = programName({ stateDir });
  const names = ["run", "resume", "rerun", "--resume", "WORKFLOW", ...commands].join("|");
  const call = new RegExp(`\\braymond(?= (?:${names})(?![\\w-]))`, "g");
  return (hint) => hint.replace(call, () => program);
}

const FLAG = "--state-dir";
