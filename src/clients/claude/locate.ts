import type { ClientVersion } from "../common/coding-agent.ts";
import { askVersion, judgeVersion, type Locatable } from "../common/locate-client.ts";
import type { Asker } from "../common/probe.ts";
import { claudeErrors } from "./errors.ts";
import { VERSIONS } from "./versions.ts";

export const LOCATABLE: Locatable = { name: "claude", errors: claudeErrors };

/** Runs `--version`. Rejects with `claude/unusable`. */
export async function claudeVersion(path: string, asker: Asker): Promise<ClientVersion> {
  return versionOf(await askVersion(LOCATABLE, path, asker));
}

/** The version with a warning if raymond was not tested with it. */
export function versionOf(version: string | null): ClientVersion {
  const unknown = "Unknown version of claude: raymond counts its cost as that of an old client.";
  return judgeVersion(LOCATABLE, version, VERSIONS.tested, unknown);
}
