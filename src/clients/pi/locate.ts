import type { ClientVersion } from "../common/coding-agent.ts";
import { askVersion, judgeVersion, type Locatable } from "../common/locate-client.ts";
import type { Asker } from "../common/probe.ts";
import { piErrors } from "./errors.ts";

export const LOCATABLE: Locatable = { name: "pi", errors: piErrors };

const TESTED = { from: [1, 6, 0], to: [1, 6, 0] } as const;

/** Runs `--version`. Rejects with `pi/unusable`. */
export async function piVersion(path: string, asker: Asker): Promise<ClientVersion> {
  const version = await askVersion(LOCATABLE, path, asker);
  return judgeVersion(LOCATABLE, version, TESTED, "Unknown version of pi.");
}
