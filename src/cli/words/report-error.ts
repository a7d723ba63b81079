import { inspect } from "node:util";
import { plainStyle, type Style } from "../../console/style.ts";
import { UnreadableFileError } from "../../files/read-file.ts";
import { RaymondError } from "../../language/basics/errors.ts";
import { sourceStack } from "../../launch/source-stack.ts";
import { printable } from "../../log/printable.ts";
import { programName } from "../../wire/program-name.ts";
import { type ExitCode, exitCodeOf } from "./exit-codes.ts";

/** Prints an error: message and hint for users, the stack for bugs. Returns the exit code. */
export function reportError(
  error: unknown,
  line: (text: string) => void,
  style: Style = plainStyle,
  asCalled: AsCalled = (hint) => hint,
): ExitCode {
  if (error instanceof RaymondError) {
    reportLines(style.error("error:"), `${error.message} [${error.code}]`, line);
    if (error.hint !== undefined) {
      reportLines(style.accent("hint:"), asCalled(error.hint), line);
    }
  } else if (error instanceof UnreadableFileError) {
    reportLines(style.error("error:"), `Cannot read the file: ${error.message}.`, line);
    reportLines(style.accent("hint:"), "raymond did not write it. Move it away.", line);
  } else {
    // `inspect` prints causes and fields as well as the stack.
    for (const text of sourceStack(inspect(error)).split("\n")) line(printable(text));
    line(style.error("This is a bug in raymond."));
  }
  return exitCodeOf(error);
}

function reportLines(label: string, text: string, line: (text: string) => void): void {
  const [first = "", ...rest] = text.split(/\r?\n/);
  line(`${label} ${printable(first)}`);
  for (const more of rest) line(`  ${printable(more)}`);
}

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
