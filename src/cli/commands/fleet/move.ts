import type { Command } from "commander";
import { type Moved, move } from "../../../fleet/worker/drain.ts";
import { printJson } from "../../output.ts";
import { examples, FLEET_URL, JSON_OBJECT, RUN_HELP } from "../../parse/options.ts";
import type { Shell } from "../../shell.ts";
import { type FleetOptions, withFleet } from "./in-fleet.ts";

export function define(command: Command, shell: Shell): void {
  command
    .argument("[run]", RUN_HELP, "latest")
    .requiredOption("--to <machine>", "Machine to move it to")
    .option(...JSON_OBJECT)
    .option(...FLEET_URL)
    .addHelpText(
      "after",
      examples(["raymond fleet move k3x9qd --to berlin", "Its step starts again there"]),
    )
    .action(async (wanted: string, options: FleetOptions & { readonly to: string }) => {
      const { to } = options;
      const moved = await withFleet(options, shell, (fleet) => move(wanted, to, fleet, shell));
      const { run, outcome, waits } = moved;
      if (options.json === true) {
        printJson(shell.out, { workflow_id: run, machine: to, outcome, waits });
      } else shell.out.line(outcomeText(moved, to));
    });
}

function outcomeText({ run, outcome, waits }: Moved, to: string): string {
  if (outcome === "completed") return `${run} completed before it could be moved.`;
  if (outcome === "requested") {
    return `${run} will be moved to ${to}: its worker has not released it yet. See: raymond status ${run}`;
  }
  switch (waits) {
    case null:
      return `${run} was moved to ${to}.`;
    case "gone":
      return `${run} waits for ${to}, whose worker is not running. Start it there with raymond worker, or move the run with: raymond fleet move ${run} --to MACHINE`;
    case "drained":
      return `${run} waits for ${to}, which is drained. Return it to service with raymond fleet drain ${to} --end, or move the run with: raymond fleet move ${run} --to MACHINE`;
  }
}
