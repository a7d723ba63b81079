import { counted } from "../../core/counted.ts";
import type { Drained } from "../../fleet/drain.ts";
import { openFleetOf } from "../in-fleet.ts";
import { printJson } from "../output.ts";
import type { Shell } from "../shell.ts";

interface DrainOptions {
  readonly machine: string;
  readonly move?: true;
  readonly end?: true;
  readonly url?: string;
  readonly json?: true;
}

/** `raymond drain`: takes a machine out of service, or returns it to service. */
export async function drainCommand(options: DrainOptions, shell: Shell): Promise<void> {
  const { machine, json, end, move } = options;
  const { drain, endDrain } = await import("../../fleet/drain.ts");
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
    ? `${machine} takes runs again.`
    : `${machine} takes runs again as soon as its worker is started: raymond worker`;
}

function drainedLines(
  machine: string,
  { moved, completed, requested, left }: Drained,
): readonly string[] {
  return [
    ...moved.map((id) => `${id} is moved to another machine.`),
    ...completed.map((id) => `${id} completed before it could be moved.`),
    ...requested.map(
      (id) => `${id} is to be moved: its worker has not released it yet. See: raymond status ${id}`,
    ),
    left.length === 0
      ? `${machine} takes no more runs.`
      : `${machine} takes no more runs. It finishes ${counted(left.length, "run")}: ${left.join(", ")}`,
  ];
}
