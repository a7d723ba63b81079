import path from "node:path";
import { counted } from "../../core/counted.ts";
import { schemasFolder } from "../../launch/package-folder.ts";
import { shellWord } from "../../observers/shell-word.ts";
import { convertWorkflow } from "../../runs/wire/conversion.ts";
import type { Shell } from "../shell.ts";

/** `raymond convert DIR` prints one file, `convert FILE -o DIR` writes the way back. */
export async function convertCommand(
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
  if (others.length > 0) shell.err.line(`! left out, for they are no states: ${others.join(", ")}`);
  if (simulation === undefined || more.length > 0) return;
  const beside = `${output ?? "FILE.yaml"}.sim.yaml`;
  const copy = `cp ${shellWord(path.join(workflow, simulation))} ${shellWord(beside)}`;
  shell.err.line(`The simulation lies beside the file: ${copy}`);
}
