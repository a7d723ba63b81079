import { existsSync } from "node:fs";
import path from "node:path";

/** Contains the URL of the fleet's database. */
export const FLEET_VARIABLE = "RAYMOND_FLEET";
/** Contains the path of a file with that URL. */
const FILE_VARIABLE = "RAYMOND_FLEET_FILE";
/** The systemd credential with that URL: `LoadCredential=raymond-fleet:/etc/raymond/fleet`. */
const CREDENTIAL = "raymond-fleet";

export type FleetSource =
  | { readonly kind: "url"; readonly url: string }
  | { readonly kind: "file"; readonly file: string };

/** The variable, else the file, else the credential; null without any. */
export function fleetSource(env: Readonly<Record<string, string | undefined>>): FleetSource | null {
  const { [FLEET_VARIABLE]: url = "", [FILE_VARIABLE]: file = "" } = env;
  if (url !== "") return { kind: "url", url };
  if (file !== "") return { kind: "file", file };
  const { CREDENTIALS_DIRECTORY: credentials = "" } = env;
  const credential = path.join(credentials, CREDENTIAL);
  return credentials !== "" && existsSync(credential) ? { kind: "file", file: credential } : null;
}
