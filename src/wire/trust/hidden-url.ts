import { isVisibleInProc, redactProcess } from "../../process/redact.ts";
import type { Caller } from "../caller.ts";
import { FLEET_VARIABLE, fleetUrlIn } from "../fleet-variable.ts";

/**
 * Takes the URL of the fleet's database out of what other processes see of this one, its environment and its
 * command line, and returns the environment as it was given. Steps are children of this process, and read its
 * `/proc/PID` like any process of its user (docs/security.md, "Steps and the database URL").
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

/** Whether other processes of this user can read the URL in `/proc/PID` of this one all the same. */
export function isUrlShown(url: string): boolean {
  return isVisibleInProc(url);
}
