import { programName } from "../../wire/program-name.ts";

/** Makes the commands of a hint ready to copy: adds the `--state-dir` of this call. */
export type AsCalled = (hint: string) => string;

/** Hints for a call with these words: `commands` get its `--state-dir`. Works before the words are parsed. */
export function commandPrefixer(words: readonly string[], commands: readonly string[]): AsCalled {
  const at = words.findLastIndex((word) => word === FLAG || word.startsWith(`${FLAG}=`));
  const stateDir = words[at] === FLAG ? words[at + 1] : words[at]?.slice(FLAG.length + 1);
  const program = programName({ stateDir });
  const names = ["run", "resume", "rerun", "--resume", "WORKFLOW", ...commands].join("|");
  const call = new RegExp(`\\braymond(?= (?:${names})(?![\\w-]))`, "g");
  return (hint) => hint.replace(call, () => program);
}

const FLAG = "--state-dir";
