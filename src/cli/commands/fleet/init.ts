import type { Command } from "commander";
import { initFleet } from "../../../fleet/admin/fleet-init.ts";
import { printJson } from "../../output.ts";
import { FLEET_URL, JSON_OBJECT } from "../../parse/options.ts";
import type { Shell } from "../../shell.ts";

interface InitOptions {
  readonly url?: string;
  readonly json?: true;
}

export function define(command: Command, shell: Shell): void {
  command
    .option(...FLEET_URL)
    .option(...JSON_OBJECT)
    .action((options: InitOptions) => prepareDatabase(options, shell));
}

async function prepareDatabase({ url, json }: InitOptions, shell: Shell): Promise<void> {
  const done = await initFleet({ url }, shell);
  const { database, from, to } = done;
  if (json === true) printJson(shell.out, done);
  else if (from === to) shell.out.line(`${database} is up to date (version ${String(to)}).`);
  else if (from === 0) shell.out.line(`Prepared ${database} (version ${String(to)}).`);
  else shell.out.line(`Upgraded ${database} from version ${String(from)} to ${String(to)}.`);
}
