import { schemasFolder } from "../../launch/package-folder.ts";
import { writeNewState } from "../../runs/new-state.ts";
import { UnknownKindError } from "../../runs/scaffold-errors.ts";
import { printJson } from "../output.ts";
import type { Shell } from "../shell.ts";
import { pathFrom } from "../words.ts";

interface NewOptions {
  readonly what: string;
  readonly name: string;
  readonly to?: readonly string[];
  readonly in?: string;
  readonly json?: true;
}

/** `raymond new state NAME`: writes a state to begin with. */
export async function newCommand(options: NewOptions, shell: Shell): Promise<void> {
  if (options.what !== "state") throw new UnknownKindError(options.what);
  const { name, to: targets = [], in: folder = "." } = options;
  const done = await writeNewState({ name, folder, targets }, schemasFolder(), shell);
  if (options.json === true) {
    printJson(shell.out, done);
    return;
  }
  shell.out.line(`Wrote ${pathFrom(shell.cwd, done.file)}: say in it what is to be done.`);
  for (const target of done.missing) {
    shell.out.line(`There is no ${target} yet: raymond new state ${target}`);
  }
}
