import { realpathSync } from "node:fs";
import process from "node:process";
import { text } from "node:stream/consumers";
import { CommanderError } from "commander";
import { EXIT } from "./exit-codes.ts";
import { safeOnTerminal, streamOutput } from "./output.ts";
import { exitCodeOfCommander, program } from "./program.ts";
import { reportError } from "./report-error.ts";
import type { Shell } from "./shell.ts";
import { chooseStyle } from "./style.ts";

/** The `raymond` command: argv in, exit code out. */
async function main(): Promise<void> {
  const out = safeOnTerminal(streamOutput(process.stdout), process.stdout.isTTY);
  const err = streamOutput(process.stderr);
  const style = chooseStyle(process.stderr, process.env);
  let code: number = EXIT.completed;
  try {
    const shell: Shell = {
      cwd: realpathSync(process.cwd()),
      env: process.env,
      out,
      err,
      style,
      columns: process.stderr.isTTY ? process.stderr.columns : null,
      now: () => Date.now(),
      readStdin: () => text(process.stdin),
      exit: (wanted) => {
        code = wanted;
      },
    };
    await program(shell).parseAsync(process.argv);
  } catch (error) {
    // Commander has already said what there is to say: help, or what is wrong with the arguments.
    code =
      error instanceof CommanderError
        ? exitCodeOfCommander(error)
        : reportError(error, err.line, style);
  }
  await Promise.all([out.flush(), err.flush()]);
  // A pipe that a background process of a step still holds must not keep raymond alive.
  process.exit(code);
}

await main();
