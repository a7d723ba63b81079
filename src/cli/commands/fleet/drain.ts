import type { Command } from "commander";
import { type Drained, drain, endDrain } from "../../../fleet/worker/drain.ts";
import { counted } from "../../../language/basics/counted.ts";
import { printJson } from "../../output.ts";
import { examples, FLEET_URL, JSON_OBJECT } from "../../parse/options.ts";
import type { Shell } from "../../shell.ts";
import { type FleetOptions, withFleet } from "./in-fleet.ts";

export function define(command: Command, shell: Shell): void {
  command
    .argument("<machine>", "Machine ID (raymond fleet workers)")
    .option("--move", "Move its runs to other machines now, if their files allow it")
    .option("--end", "Return the machine to service")
    .option(...JSON_OBJECT)
    .option(...FLEET_URL)
    .addHelpText(
      "after",
      examples(
        ["raymond fleet drain berlin", "Finish its runs, claim no more"],
        ["raymond fleet drain berlin --move", "Move its runs to other machines now"],
        ["raymond fleet drain berlin --end", "Return it to service"],
      ),
    )
    .action((machine: string, options: DrainOptions) => drainMachine(machine, options, shell));
}

interface DrainOptions extends FleetOptions {
  readonly move?: true;
  readonly end?: true;
}

async function drainMachine(machine: string, options: DrainOptions, shell: Shell): Promise<void> {
  const { out } = shell;
  await withFleet(options, shell, async (fleet) => {
    if (options.end === true) {
      const lives = await endDrain(machine, fleet, shell);
      if (options.json === true) printJson(out, { machine, draining: false, ...NO_RUNS });
      else
        out.line(
          `${machine} claims runs again${lives ? "." : " once its worker is started: raymond worker"}`,
        );
      return;
    }
    const drained = await drain(machine, options.move === true, fleet, shell);
    if (options.json === true) printJson(out, { machine, draining: true, ...drained });
    else for (const line of drainedLines(machine, drained)) out.line(line);
  });
}

const NO_RUNS: Drained = { moved: [], completed: [], requested: [], left: [] };

function drainedLines(
  machine: string,
  { moved, completed, requested, left }: Drained,
): readonly string[] {
  const rest =
    left.length === 0 ? "" : ` It finishes ${counted(left.length, "run")}: ${left.join(", ")}`;
  return [
    ...moved.map((id) => `${id} was moved to another machine.`),
    ...completed.map((id) => `${id} completed before it could be moved.`),
    ...requested.map(
      (id) => `${id} will be moved: its worker has not released it yet. See: raymond status ${id}`,
    ),
    `${machine} claims no more runs.${rest}`,
  ];
}
