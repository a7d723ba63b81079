import type { Command } from "commander";
import { packWorkflow } from "../../../author/pack.ts";
import { formatBytes } from "../../../language/basics/bytes.ts";
import { counted } from "../../../language/basics/counted.ts";
import { printJson } from "../../output.ts";
import { action, JSON_OBJECT } from "../../parse/options.ts";
import type { Shell } from "../../shell.ts";
import { pathFrom } from "../../words/words.ts";

export function define(command: Command, shell: Shell): void {
  command
    .argument("<folder>", "Folder of a workflow, with everything its scripts need")
    .option("-o, --output <path>", "File or folder to write to (default: current folder)")
    .option(...JSON_OBJECT)
    .action(action(shell, packCommand));
}

interface PackOptions {
  readonly folder: string;
  readonly output?: string;
  readonly json?: true;
}

async function packCommand(options: PackOptions, shell: Shell): Promise<void> {
  const done = await packWorkflow(options.folder, options.output ?? null, shell);
  if (options.json === true) {
    const { leftOut, ...rest } = done;
    printJson(shell.out, { ...rest, left_out: leftOut });
    return;
  }
  shell.out.line(pathFrom(shell.cwd, done.path));
  shell.err.line(`Packed ${counted(done.files.length, "file")}, ${formatBytes(done.bytes)}.`);
  if (done.leftOut.length > 0) {
    shell.err.line(`! Left out (hidden files, tests, simulations): ${done.leftOut.join(", ")}`);
  }
}
