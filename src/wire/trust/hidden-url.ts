import { isVisibleInProc, redactProcess } from "../../process/redact.ts";
import type { Caller } from "../caller.ts";
import { FLEET_VARIABLE, fleetUrlIn } from "../fleet-variable.ts";

/**
 * Removes the URL of the fleet's database from the environment and command line of this process,
 * and returns the original environment. Steps run as the same user and can read its `/proc/PID`
 * (docs/fleet-operations.md, "Steps and the database URL").
 */
export function hideFleetUrl(process: NodeJS.Process): Caller["env"] {
  const given = { ...process.env };
  Reflect.deleteProperty(process.env, FLEET_VARIABLE);
  const secrets = [
    given[FLEET_VARIABLE] ?? "",
    ...process.argv.flatMap((word) => fleetUrlIn(word) ?? []),
  ];
  for (const secret of secrets) if (secret !== "") redactProcess(secret);
  return given;
}

/** Whether `/proc/PID` of this process still shows the URL. */
export function isUrlShown(url: string): boolean {
  return isVisibleInProc(url);
}
