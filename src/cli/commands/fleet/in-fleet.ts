import type { OpenFleet } from "../../../fleet/admin/open.ts";
import type { Caller } from "../../../wire/caller.ts";
import { fleetSource } from "../../../wire/fleet-variable.ts";
import { cliErrors } from "../../words/errors.ts";

/** The options that select between the runs of a fleet and those of this project. */
export interface WhichRuns {
  readonly fleet?: boolean;
  readonly stateDir?: string;
}

export interface FleetOptions {
  readonly url?: string | undefined;
  readonly json?: true;
}

/** Calls `act` with the selected runs: those of a fleet, or those of this machine. */
export async function inFleet<Who extends Caller, T>(
  options: WhichRuns,
  caller: Who,
  act: (caller: Who) => Promise<T>,
  follows = false,
): Promise<T> {
  if (!isFleetMeant(options, caller)) return act(caller);
  return withFleet({}, caller, (fleet) => act({ ...caller, fleet }), follows);
}

/** Opens the fleet for the duration of `act`. `follows`: while the database is unavailable, wait for it. */
export async function withFleet<T>(
  options: Pick<FleetOptions, "url">,
  caller: Caller,
  act: (fleet: OpenFleet) => Promise<T>,
  follows = false,
): Promise<T> {
  const fleet = await openFleetOf(caller, options, follows);
  try {
    return await act(fleet);
  } finally {
    await fleet.close();
  }
}

/** Throws for a command that does not support fleets, if the runs of a fleet are selected. */
export function refuseFleet(
  command: string,
  instead: string,
  options: WhichRuns,
  caller: Pick<Caller, "env">,
): void {
  if (isFleetMeant(options, caller)) throw cliErrors["cli/not-in-fleet"](command, instead);
}

/** Opens the fleet; the caller closes it. `follows` as in {@link withFleet}. */
export async function openFleetOf(
  caller: Caller,
  place: Pick<FleetOptions, "url"> = {},
  follows = false,
): Promise<OpenFleet> {
  const { fleetUrl } = await import("../../../fleet/admin/fleet.ts");
  const { openFleetRuns } = await import("../../../fleet/admin/open.ts");
  return openFleetRuns(fleetUrl(place, caller), caller, { patienceMs: follows ? A_DAY_MS : 0 });
}

const A_DAY_MS = 86_400_000;

/** Whether the runs of a fleet are selected. `--state-dir` is a folder of this machine, whatever the environment says. */
export function isFleetMeant(
  { fleet, stateDir }: WhichRuns,
  { env }: Pick<Caller, "env">,
): boolean {
  if (fleet === true && stateDir !== undefined) {
    throw cliErrors["cli/flag-conflict"](
      "--fleet and --state-dir select different runs.",
      "Use only one of them.",
    );
  }
  if (fleet !== undefined) return fleet;
  return stateDir === undefined && fleetSource(env) !== null;
}
