import { printable } from "../log/printable.ts";
import { UntrustedProjectError } from "../run/errors.ts";
import { trust } from "../wire/trust/trusted.ts";
import type { Shell } from "./shell.ts";

/** Asks at the terminal whether to trust files of the project, and saves the answer. Without a terminal, the work is refused. */
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
