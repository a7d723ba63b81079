import type { OpenFleet } from "../fleet/open.ts";
import { FLEET_VARIABLE } from "../runs/fleet-variable.ts";
import { FlagConflictError } from "./errors.ts";
import type { Shell } from "./shell.ts";

/** What tells whether the runs of a fleet are meant. */
export interface WhichRuns {
  readonly fleet?: boolean;
  readonly stateDir?: string;
}

/** Does something with the runs that are meant: those of a fleet, or those of this machine. */
export async function inFleet<T>(
  options: WhichRuns,
  shell: Shell,
  act: (shell: Shell) => Promise<T>,
): Promise<T> {
  if (!isFleetMeant(options, shell)) return act(shell);
  const fleet = await openFleetOf(shell);
  try {
    return await act({ ...shell, fleet });
  } finally {
    await fleet.close();
  }
}

/** The fleet that is meant; whoever opens it closes it. */
export async function openFleetOf(
  shell: Shell,
  place: { readonly url?: string | undefined } = {},
): Promise<OpenFleet> {
  const { fleetUrl } = await import("../runs/wire/fleet.ts");
  const { openFleetRuns } = await import("../fleet/open.ts");
  return openFleetRuns(fleetUrl(place, shell), shell);
}

/** Whether the runs of a fleet are meant. `--state-dir` is a folder of this machine, whatever the environment says. */
export function isFleetMeant({ fleet, stateDir }: WhichRuns, { env }: Shell): boolean {
  if (fleet === true && stateDir !== undefined) {
    throw new FlagConflictError(
      "--fleet and --state-dir name different runs.",
      "Leave one of them away.",
    );
  }
  if (fleet !== undefined) return fleet;
  return stateDir === undefined && (env[FLEET_VARIABLE] ?? "") !== "";
}
