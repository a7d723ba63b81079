import { stat } from "node:fs/promises";
import path from "node:path";
import { nearest } from "../core/nearest.ts";
import { MistypedCommandError } from "./errors.ts";

/**
 * Throws MistypedCommandError when the first word of the command line is no
 * command and no workflow here, and is near to a command: before its options
 * are judged as those of a run.
 */
export async function refuseMistyped(
  args: readonly string[],
  commands: readonly string[],
  cwd: string,
): Promise<void> {
  const [word = ""] = args;
  if (!/^[a-z][a-z-]*$/i.test(word) || commands.includes(word)) return;
  const near = nearest(word, commands);
  if (near === null || (await isThere(path.join(cwd, word)))) return;
  throw new MistypedCommandError(word, near);
}

/** A workflow may be named without its extension. */
async function isThere(place: string): Promise<boolean> {
  for (const ending of ["", ".md", ".sh", ".bat"]) {
    if ((await stat(`${place}${ending}`).catch(() => null)) !== null) return true;
  }
  return false;
}
