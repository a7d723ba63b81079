import { existsSync } from "node:fs";
import path from "node:path";

/** The variable that names the database of the fleet. */
export const FLEET_VARIABLE = "RAYMOND_FLEET";
/** The variable that names a file with that URL. */
const FILE_VARIABLE = "RAYMOND_FLEET_FILE";
/** The systemd credential with that URL: `LoadCredential=raymond-fleet:/etc/raymond/fleet`. */
const CREDENTIAL = "raymond-fleet";

/** Where the URL of the fleet's database comes from. */
export type FleetSource =
  | { readonly kind: "url"; readonly url: string }
  | { readonly kind: "file"; readonly file: string };

/** What an environment says of the fleet: the variable, else the file, else the credential; null where it says nothing. */
export function fleetSource(env: Readonly<Record<string, string | undefined>>): FleetSource | null {
  const { [FLEET_VARIABLE]: url = "", [FILE_VARIABLE]: file = "" } = env;
  if (url !== "") return { kind: "url", url };
  if (file !== "") return { kind: "file", file };
  const { CREDENTIALS_DIRECTORY: credentials = "" } = env;
  const credential = path.join(credentials, CREDENTIAL);
  return credentials !== "" && existsSync(credential) ? { kind: "file", file: credential } : null;
}

/** Whether a process was given the URL itself, which its `/proc/PID` then shows. */
export function hasFleetUrl({ env, argv }: Pick<NodeJS.Process, "env" | "argv">): boolean {
  return (env[FLEET_VARIABLE] ?? "") !== "" || argv.some((word) => fleetUrlIn(word) !== null);
}

/** The URL in an argument: a word of its own, or behind `--url=`; null where there is none. */
export function fleetUrlIn(word: string): string | null {
  return /postgres(?:ql)?:\/\/.*$/s.exec(word)?.[0] ?? null;
}
