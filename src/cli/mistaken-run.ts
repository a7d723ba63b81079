import path from "node:path";
import { RaymondError } from "../core/errors.ts";
import { runTail } from "../core/run-id.ts";
import { findRun } from "../stores/find-run.ts";
import { RunForWorkflowError } from "./errors.ts";
import { isThere, refuseRunByLook } from "./mistyped.ts";
import type { Shell } from "./shell.ts";
import { programName } from "./words.ts";

/** Throws a RunForWorkflowError when what stands where a workflow belongs is the name of a run. */
export async function refuseRun(
  word: string,
  root: string,
  options: { readonly stateDir?: string },
  { cwd }: Shell,
): Promise<void> {
  const program = programName(options);
  refuseRunByLook(word, cwd, program);
  if (/[/\\]/.test(word) || isThere(path.resolve(cwd, word))) return;
  const found = await findRun(root, word, { launchDir: cwd }).catch((error: unknown) => {
    if (error instanceof RaymondError) return null;
    throw error;
  });
  if (found === null) return;
  // The beginning of an id names a run too, and would be too much here: `w` is the beginning of most.
  if (word === "latest" || word === found.id || word === runTail(found.id)) {
    throw new RunForWorkflowError(word, "run", program);
  }
}
