import type { Command } from "commander";
import { printable } from "../../../log/printable.ts";
import { trustHere } from "../../../run/trust.ts";
import { UNTRUSTED } from "../../../wire/errors.ts";
import type { Place } from "../../../wire/stores.ts";
import { action, STATE_DIR } from "../../parse/options.ts";
import type { Shell } from "../../shell.ts";

export function define(command: Command, shell: Shell): void {
  command.option(...STATE_DIR).action(action(shell, trustCommand));
}

async function trustCommand(options: Place, shell: Shell): Promise<void> {
  const found = await trustHere(options, shell);
  if (found.length === 0)
    shell.out.line("Nothing here needs trust, or you have trusted it already.");
  for (const { subject, untrusted } of found) {
    shell.out.line(
      printable(`Trusted: ${subject.place}, which ${UNTRUSTED[subject.kind].brings}:`),
    );
    for (const each of untrusted) shell.out.line(printable(`  ${each}`));
  }
}
