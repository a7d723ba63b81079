import type { Caller } from "../../wire/caller.ts";
import { type FleetPlace, openFleet, prepareFleet } from "./fleet.ts";

/** What was done to the database of a fleet. */
export interface PreparedFleet {
  /** Its URL, without the password. */
  readonly database: string;
  /** The version that its tables had; 0: there were none. */
  readonly from: number;
  /** The one that they have now. */
  readonly to: number;
}

/**
 * Prepares the database of a fleet: makes what is missing there, and changes nothing
 * where nothing is. Rejects with a RaymondError that says what to do.
 */
export async function initFleet(place: FleetPlace, caller: Caller): Promise<PreparedFleet> {
  const database = openFleet(place, caller);
  try {
    return { database: database.address.shown, ...(await prepareFleet(database)) };
  } finally {
    await database.close();
  }
}
