import { parseObject, textAt } from "../common/json-fields.ts";
import { type Asker, askClient } from "../common/probe.ts";

/** Whether pi has credentials. `method`: `api_key` or `oauth`. */
export type PiLogin =
  | { readonly state: "in"; readonly method: string }
  | { readonly state: "out" }
  | { readonly state: "unknown" };

/**
 * Runs `pi auth check`, which calls no model, or without a model `pi --list-models`, which lists those with credentials.
 * When `done` aborts, the result is `unknown`.
 */
export async function askPiLogin(
  command: string,
  model: string | null,
  asker: Asker,
  done?: AbortSignal,
): Promise<PiLogin> {
  const offline = { ...asker, env: { PI_OFFLINE: "1", ...asker.env } };
  if (model === null) {
    // The refusal is printed on standard error, the table on standard output.
    const { exitCode, stdout } = await askClient(command, ["--list-models"], offline, done);
    if (exitCode !== 0) return { state: "unknown" };
    return stdout.includes("context") ? { state: "in", method: "unknown" } : { state: "out" };
  }
  // Without --no-refresh it would renew a token, and another process may do the same.
  const args = ["auth", "check", "--json", "--no-refresh", "--model", model];
  const { stdout } = await askClient(command, args, offline, done);
  return readPiLogin(stdout);
}

/** Parses the output of `pi auth check --json`. */
export function readPiLogin(stdout: string): PiLogin {
  const status = parseObject(stdout.trim());
  switch (status === null ? "" : (textAt(status, "status") ?? "")) {
    case "ready":
      return { state: "in", method: textAt(status ?? {}, "authType") ?? "unknown" };
    case "not_ready":
      return { state: "out" };
    default:
      return { state: "unknown" };
  }
}
