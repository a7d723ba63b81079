import type { Command } from "commander";
import type { Drained } from "../../../fleet/worker/drain.ts";
import { counted } from "../../../language/basics/counted.ts";
import { printJson } from "../../output.ts";
import { examples, FLEET_URL, JSON_OBJECT } from "../../parse/options.ts";
import type { Shell } from "../../shell.ts";
import { openFleetOf } from "./in-fleet.ts";

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
    .action((machine: string, options: Omit<DrainOptions, "machine">) =>
      drainCommand({ ...options, machine }, shell),
    );
}

interface DrainOptions {
  readonly machine: string;
  readonly move?: true;
  readonly end?: true;
  readonly url?: string;
  readonly json?: true;
}

async function drainCommand(options: DrainOptions, shell: Shell): Promise<void> {
  const { machine, json, end, move } = options;
  const { drain, endDrain } = await import("../../../fleet/worker/drain.ts");
  const fleet = await openFleetOf(shell, options);
  try {
    if (end === true) {
      const lives = await endDrain(machine, fleet);
      if (json === true) printJson(shell.out, { machine, draining: false, ...NOTHING });
      else shell.out.line(inService(machine, lives));
      return;
    }
    const drained = await drain(machine, move === true, fleet);
    if (json === true) printJson(shell.out, { machine, draining: true, ...drained });
    else for (const line of drainedLines(machine, drained)) shell.out.line(line);
  } finally {
    await fleet.close();
  }
}

const NOTHING: Drained = { moved: [], completed: [], requested: [], left: [] };

function inService(machine: string, lives: boolean): string {
  return lives
    ? `${machine} claims runs again.`
    : `${machine} claims runs again once its worker is started: raymond worker`;
}

function drainedLines(
  machine: string,
  { moved, completed, requested, left }: Drained,
): readonly string[] {
  return [
    ...moved.map((id) => `${id} was moved to another machine.`),
    ...completed.map((id) => `${id} completed before it could be moved.`),
    ...requested.map(
      (id) => `${id} will be moved: its worker has not released it yet. See: raymond status ${id}`,
    ),
    left.length === 0
      ? `${machine} claims no more runs.`
      : `${machine} claims no more runs. It finishes ${counted(left.length, "run")}: ${left.join(", ")}`,
  ];
}
