import type { Command } from "commander";
import { type InitializedFleet, initFleet } from "../../../fleet/admin/fleet.ts";
import { quote, ROLE_NAMES } from "../../../fleet/admin/roles.ts";
import { printJson } from "../../output.ts";
import { FLEET_URL, JSON_OBJECT } from "../../parse/options.ts";
import type { Shell } from "../../shell.ts";
import type { FleetOptions } from "./in-fleet.ts";

export function define(command: Command, shell: Shell): void {
  command
    .option(...FLEET_URL)
    .option("--roles", "Also create group roles with limited rights (viewer, submitter, …)")
    .option(...JSON_OBJECT)
    .action(async (options: FleetOptions & { readonly roles?: true }) => {
      const prepared = await initFleet(options, shell);
      if (options.json === true) printJson(shell.out, prepared);
      else {
        shell.out.line(preparedText(prepared));
        for (const line of rolesText(prepared)) shell.out.line(line);
      }
    });
}

function rolesText({ roles }: InitializedFleet): readonly string[] {
  if (roles === null) return [];
  const { names, created } = roles;
  return [
    created.length === 0
      ? "The roles exist, and their rights are set."
      : `Created the roles ${created.join(", ")}.`,
    "Grant them to users of the database, as administrator in psql:",
    "  CREATE ROLE jane LOGIN PASSWORD '…';",
    ...ROLE_NAMES.map((role) => `  GRANT ${quote(names[role])} TO jane;   -- ${ABOUT[role]}`),
  ];
}

const ABOUT = {
  viewer: "read runs, conversations and the fleet",
  submitter: "submit runs, and control the own ones",
  operator: "control all runs, schedules, limits and machines",
  worker: "for raymond worker",
} as const;

function preparedText({ database, from, to }: InitializedFleet): string {
  if (from === to) return `${database} is up to date (version ${String(to)}).`;
  if (from === 0) return `Prepared ${database} (version ${String(to)}).`;
  return `Upgraded ${database} from version ${String(from)} to ${String(to)}.`;
}
