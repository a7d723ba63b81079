import type { JsonObject } from "../../../language/basics/json-object.ts";
import { objectsAt, textAt } from "../../common/json-fields.ts";
import type { CallFacts } from "../facts.ts";

export interface RequiredServers {
  readonly names: readonly string[];
  /** One of them is not connected: end the client. */
  readonly onMissing: () => void;
}

export const NO_SERVERS: RequiredServers = { names: [], onMissing: () => undefined };

/** Checks the MCP servers by the first `init` event, which precedes the first request. */
export function checkServers(
  init: JsonObject,
  { names, onMissing }: RequiredServers,
): Pick<CallFacts, "unconnected"> {
  const reported = objectsAt(init, "mcp_servers");
  for (const name of names) {
    const server = reported.find((one) => textAt(one, "name") === name);
    const status = server === undefined ? "not configured" : (textAt(server, "status") ?? "?");
    if (status === "connected") continue;
    onMissing();
    return { unconnected: { name, status } };
  }
  return {};
}
