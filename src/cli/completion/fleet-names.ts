import type { OpenFleet } from "../../fleet/admin/open.ts";
import { counted } from "../../language/basics/counted.ts";
import { machineState } from "../../log/machine-state.ts";
import type { Caller } from "../../wire/caller.ts";
import { fleetSource } from "../../wire/fleet-variable.ts";
import { openFleetOf } from "../commands/fleet/in-fleet.ts";
import { type Candidate, orNothing } from "./names.ts";

export type FleetNoun = "machine" | "pool" | "account" | "schedule";

/** Names in the fleet; none without a fleet, or if its database does not respond soon. */
export function namesInFleet(
  noun: FleetNoun,
  place: { readonly url?: string | undefined },
  caller: Caller,
): Promise<readonly Candidate[]> {
  const isMeant = place.url !== undefined || fleetSource(caller.env) !== null;
  return isMeant ? orNothing(() => ask(noun, place, caller), []) : Promise.resolve([]);
}

async function ask(
  noun: FleetNoun,
  place: { readonly url?: string | undefined },
  caller: Caller,
): Promise<readonly Candidate[]> {
  const fleet = await openFleetOf(caller, place);
  try {
    return await namesOf(noun, fleet);
  } finally {
    await fleet.close();
  }
}

async function namesOf(noun: FleetNoun, fleet: OpenFleet): Promise<readonly Candidate[]> {
  switch (noun) {
    case "machine": {
      const machines = await fleet.machines();
      return machines.map((machine) => {
        const state = machineState(machine);
        return { value: machine.id, about: state === "working" ? "works" : state };
      });
    }
    case "pool": {
      const machines = await fleet.machines();
      const pools = new Set(machines.flatMap((machine) => machine.pools));
      return [...pools].toSorted().map((pool) => {
        const working = machines.filter(({ lives, pools: of }) => lives && of.includes(pool));
        return { value: pool, about: counted(working.length, "worker") };
      });
    }
    case "account": {
      const { listAccounts } = await import("../../fleet/queue/accounts.ts");
      const accounts = await listAccounts(fleet.database);
      return accounts.map(({ name, machines }) => ({
        value: name,
        about: counted(machines.length, "worker"),
      }));
    }
    case "schedule": {
      const { listSchedules } = await import("../../fleet/queue/schedules/schedules.ts");
      const all = await listSchedules(fleet.database);
      return all.map(({ name, cron, paused }) => ({
        value: name,
        about: paused ? "paused" : cron,
      }));
    }
  }
}
