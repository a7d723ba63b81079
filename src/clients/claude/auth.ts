import { parseObject, textAt, valueAt } from "./output/json.ts";
import { type Asker, askClient } from "./probe.ts";

/** The login state that the client reports. */
export type Login =
  | { readonly state: "in"; readonly method: string }
  | { readonly state: "out" }
  /** Another provider than Anthropic, or a client without this command. */
  | { readonly state: "unknown" };

/**
 * Runs `claude auth status`, which costs nothing (docs/claude.md, "Login"). Also with a custom ANTHROPIC_BASE_URL the
 * client needs a key (measured on both versions). When `done` aborts, the result is `unknown`.
 */
export async function askLogin(command: string, asker: Asker, done?: AbortSignal): Promise<Login> {
  const { stdout } = await askClient(command, ["auth", "status"], asker, done);
  return readLogin(stdout);
}

/** Parses the output of `claude auth status`. */
export function readLogin(stdout: string): Login {
  const status = parseObject(stdout);
  const provider = status === null ? null : textAt(status, "apiProvider");
  if (status === null || (provider ?? "firstParty") !== "firstParty") return { state: "unknown" };
  switch (valueAt(status, "loggedIn")) {
    case true:
      return { state: "in", method: textAt(status, "authMethod") ?? "unknown" };
    case false:
      return { state: "out" };
    default:
      return { state: "unknown" };
  }
}
