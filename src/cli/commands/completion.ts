import type { Command } from "commander";
import { BadFlagError } from "../../config/errors.ts";
import { complete } from "../completion/candidates.ts";
import { completionScript, FILES_LINE, SHELLS } from "../completion/scripts.ts";
import type { Shell } from "../shell.ts";

interface CompletionOptions {
  readonly shell: string;
  readonly words?: readonly string[];
}

/** `raymond completion SHELL` prints a script; `completion words -- …` is what that asks. */
export async function completionCommand(
  { shell: wanted, words = [] }: CompletionOptions,
  shell: Shell,
  root: Command,
): Promise<void> {
  if (wanted === "words") {
    const last = words.at(-1)?.replace(/^:/, "") ?? "";
    const { candidates, files } = await complete(root, [...words.slice(0, -1), last], shell);
    const lines = candidates.map(({ value, about }) =>
      about === "" ? value : `${value}\t${about}`,
    );
    for (const line of [...lines, ...(files ? [FILES_LINE] : [])]) shell.out.line(line);
    return;
  }
  const known = SHELLS.find((one) => one === wanted);
  if (known === undefined)
    throw new BadFlagError("completion", wanted, `one of ${SHELLS.join(", ")}`);
  shell.out.write(completionScript(known));
}
