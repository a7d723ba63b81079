import { parseObject, textAt, valueAt } from "./json.ts";
import { type Asker, askClient } from "./probe.ts";

/** Whether the client can reach a model, as far as it knows itself. */
export type Login =
  | { readonly state: "in"; readonly method: string }
  | { readonly state: "out" }
  /** Another provider than Anthropic, or a client that cannot tell: not judged. */
  | { readonly state: "unknown" };

/**
 * Asks `claude auth status`, which spends nothing (docs/claude.md, "Log-in"). A
 * custom ANTHROPIC_BASE_URL changes nothing: without a key the client refuses to
 * work there too (measured on both versions). When `done` aborts the question is
 * withdrawn, and nothing is known.
 */
export async function askLogin(command: string, asker: Asker, done?: AbortSignal): Promise<Login> {
  const { stdout } = await askClient(command, ["auth", "status"], asker, done);
  return readLogin(stdout);
}

/** Reads what `claude auth status` printed. */
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
