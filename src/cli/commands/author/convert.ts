import path from "node:path";
import type { Command } from "commander";
import { convertWorkflow } from "../../../author/conversion.ts";
import { shellWord } from "../../../console/shell-word.ts";
import { counted } from "../../../language/basics/counted.ts";
import { schemasFolder } from "../../../launch/package-folder.ts";
import { action } from "../../parse/options.ts";
import type { Shell } from "../../shell.ts";

export function define(command: Command, shell: Shell): void {
  command
    .argument("<workflow>", "Folder, or .yaml file with states")
    .option("-o, --output <path>", "File or folder to write (default: print a file)")
    .action(action(shell, convertCommand));
}

async function convertCommand(
  { workflow, output }: { readonly workflow: string; readonly output?: string },
  shell: Shell,
): Promise<void> {
  const done = await convertWorkflow(workflow, output ?? null, schemasFolder(), shell);
  if (done.kind === "folder") {
    shell.err.line(`Wrote ${counted(done.files.length, "file")} into ${done.path}.`);
    return;
  }
  if (done.path === null) shell.out.write(done.text);
  else shell.err.line(`Wrote ${done.path}.`);
  const [simulation, ...more] = done.leftOut.filter((name) => name.endsWith(".sim.yaml"));
  const others = done.leftOut.filter((name) => !name.endsWith(".sim.yaml"));
  if (others.length > 0)
    shell.err.line(`! Left out, because they are not states: ${others.join(", ")}`);
  if (simulation === undefined || more.length > 0) return;
  const target = `${output ?? "FILE.yaml"}.sim.yaml`;
  const copy = `cp ${shellWord(path.join(workflow, simulation))} ${shellWord(target)}`;
  shell.err.line(`Copy the simulation next to the file with: ${copy}`);
}
