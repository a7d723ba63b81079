import { homedir } from "node:os";
import type { ClientPlace } from "../../clients/common/coding-agent.ts";
import { systemPlatform } from "../system/system.ts";

/** Where a client with this environment stores files. Its user can differ from the user of this process. */
export function clientPlace(env: ClientPlace["env"]): ClientPlace {
  const home = systemPlatform() === "unix" ? (env["HOME"] ?? homedir()) : homedir();
  return { env, home };
}
