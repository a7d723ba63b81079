import type { Command } from "commander";
import { printJson } from "../../output.ts";
import { examples, FLEET_URL, JSON_OBJECT } from "../../parse/options.ts";
import type { Shell } from "../../shell.ts";
import { openFleetOf } from "./in-fleet.ts";

interface FleetOptions {
  readonly url?: string;
  readonly json?: true;
}

export function define(command: Command, shell: Shell): void {
  command
    .option(...FLEET_URL)
    .option(...JSON_OBJECT)
    .addHelpText(
      "after",
      examples(
        ["raymond fleet dev", "Start a temporary database, until Ctrl-C"],
        ["raymond fleet init", "Prepare the database that RAYMOND_FLEET names, once"],
        ["raymond fleet", "Show the status of the fleet and what to do next"],
      ),
    )
    .action((options: FleetOptions) => showFleet(options, shell));
}

async function showFleet(options: FleetOptions, shell: Shell): Promise<void> {
  const { overview } = await import("../../../fleet/admin/overview.ts");
  const { formatOverview, overviewJson } = await import("./fleet-overview.ts");
  const fleet = await openFleetOf(shell, options);
  try {
    const status = await overview(fleet);
    if (options.json === true) printJson(shell.out, overviewJson(status));
    else
      for (const line of formatOverview(status, shell.now(), shell.outColumns)) {
        shell.out.line(line);
      }
  } finally {
    await fleet.close();
  }
}
