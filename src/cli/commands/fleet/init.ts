import type { Command } from "commander";
import { initFleet } from "../../../fleet/admin/fleet.ts";
import { printJson } from "../../output.ts";
import { FLEET_URL, JSON_OBJECT } from "../../parse/options.ts";
import type { Shell } from "../../shell.ts";
import type { FleetOptions } from "./in-fleet.ts";

export function define(command: Command, shell: Shell): void {
  command
    .option(...FLEET_URL)
    .option(...JSON_OBJECT)
    .action(async (options: FleetOptions) => {
      const prepared = await initFleet(options, shell);
      if (options.json === true) printJson(shell.out, prepared);
      else shell.out.line(preparedText(prepared));
    });
}

function preparedText({ database, from, to }: Awaited<ReturnType<typeof initFleet>>): string {
  if (from === to) return `${database} is up to date (version ${String(to)}).`;
  if (from === 0) return `Prepared ${database} (version ${String(to)}).`;
  return `Upgraded ${database} from version ${String(from)} to ${String(to)}.`;
}
