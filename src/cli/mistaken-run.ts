import path from "node:path";
import { isRunName } from "../runs/wire/stores.ts";
import { RunForWorkflowError } from "./errors.ts";
import { isThere, refuseRunByLook } from "./mistyped.ts";
import type { Shell } from "./shell.ts";

/** Throws a RunForWorkflowError when what stands where a workflow belongs is the name of a run. */
export async function refuseRun(
  word: string,
  { stateDir }: { readonly stateDir?: string },
  shell: Shell,
): Promise<void> {
  const { cwd } = shell;
  refuseRunByLook(word, cwd);
  if (/[/\\]/.test(word) || isThere(path.resolve(cwd, word))) return;
  if (await isRunName({ run: word, stateDir }, shell)) {
    throw new RunForWorkflowError(word, "run");
  }
}
