import { formatBytes } from "../../core/bytes.ts";
import { counted } from "../../core/counted.ts";
import { packWorkflow } from "../../runs/pack.ts";
import { printJson } from "../output.ts";
import type { Shell } from "../shell.ts";
import { pathFrom } from "../words.ts";

interface PackOptions {
  readonly folder: string;
  readonly output?: string;
  readonly json?: true;
}

/** `raymond pack FOLDER`: writes a zip, and prints where it lies. */
export async function packCommand(options: PackOptions, shell: Shell): Promise<void> {
  const done = await packWorkflow(options.folder, options.output ?? null, shell);
  if (options.json === true) {
    const { leftOut, ...told } = done;
    printJson(shell.out, { ...told, left_out: leftOut });
    return;
  }
  shell.out.line(pathFrom(shell.cwd, done.path));
  shell.err.line(`Packed ${counted(done.files.length, "file")}, ${formatBytes(done.bytes)}.`);
  if (done.leftOut.length > 0) {
    shell.err.line(`! left out (hidden files, tests, simulations): ${done.leftOut.join(", ")}`);
  }
}
