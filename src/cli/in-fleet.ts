import type { OpenFleet } from "../fleet/open.ts";
import type { Caller } from "../runs/caller.ts";
import { fleetSource } from "../runs/fleet-variable.ts";
import { FlagConflictError, NotInFleetError } from "./errors.ts";
import type { Subcommand } from "./subcommand.ts";

/** What tells whether the runs of a fleet are meant. */
export interface WhichRuns {
  readonly fleet?: boolean;
  readonly stateDir?: string;
}

/** What a command has to do with the runs of a fleet. */
export type FleetUse = Pick<Subcommand, "name" | "runOption" | "insteadInFleet" | "follows">;

/**
 * Does something with the runs that are meant: those of a fleet, or those of this machine. Rejects with a
 * {@link NotInFleetError} where those of a fleet are, and the command takes none.
 */
export async function inFleet<Who extends Caller, T>(
  use: FleetUse,
  options: WhichRuns,
  caller: Who,
  act: (caller: Who) => Promise<T>,
): Promise<T> {
  const { runOption } = use;
  const isAboutRun = runOption === undefined || Object.hasOwn(options, runOption);
  if (!isAboutRun || !isFleetMeant(options, caller)) return act(caller);
  if (use.insteadInFleet !== undefined) throw new NotInFleetError(use.name, use.insteadInFleet);
  const follows = use.follows?.(options as { readonly follow?: true }) === true;
  const fleet = await openFleetOf(caller, {}, follows);
  try {
    return await act({ ...caller, fleet });
  } finally {
    await fleet.close();
  }
}

/** The fleet that is meant; whoever opens it closes it. `follows`: its database is waited for when it goes away meanwhile. */
export async function openFleetOf(
  caller: Caller,
  place: { readonly url?: string | undefined } = {},
  follows = false,
): Promise<OpenFleet> {
  const { fleetUrl } = await import("../runs/wire/fleet.ts");
  const { openFleetRuns } = await import("../fleet/open.ts");
  return openFleetRuns(fleetUrl(place, caller), caller, { patienceMs: follows ? A_DAY_MS : 0 });
}

/** So long whoever follows a run waits for a database that is away. */
const A_DAY_MS = 86_400_000;

/** Whether the runs of a fleet are meant. `--state-dir` is a folder of this machine, whatever the environment says. */
export function isFleetMeant(
  { fleet, stateDir }: WhichRuns,
  { env }: Pick<Caller, "env">,
): boolean {
  if (fleet === true && stateDir !== undefined) {
    throw new FlagConflictError(
      "--fleet and --state-dir name different runs.",
      "Leave one of them away.",
    );
  }
  if (fleet !== undefined) return fleet;
  return stateDir === undefined && fleetSource(env) !== null;
}
