import { printable } from "../observers/printable.ts";
import { UntrustedProjectError } from "../runs/trust.ts";
import { trust } from "../runs/wire/trusted.ts";
import type { Shell } from "./shell.ts";

/** Asks at a terminal whether files of the project are trusted, and remembers the answer. Without one it is refused. */
export async function askTrust<T>(shell: Shell, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof UntrustedProjectError) || shell.ask === null) throw error;
    const { file, statements } = error.subject;
    shell.err.line(`${printable(file)} is in the project's git repository, and sets:`);
    for (const statement of statements) shell.err.line(`  ${printable(statement)}`);
    const answer = (await shell.ask("Trust it? [y/N] ")) ?? "";
    if (!/^y(?:es)?$/i.test(answer.trim())) throw error;
    await trust(error.subject, shell);
    return askTrust(shell, work);
  }
}
