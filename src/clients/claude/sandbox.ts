import type { Invocation } from "../../engine/ports/backend.ts";
import { foldersAround } from "../../files/paths.ts";

/**
 * The settings of the client for a sandboxed call (docs/sandbox.md, "Sandbox") and for allowed tool calls, in one flag,
 * or none.
 */
export function settingsArgs(
  call: Pick<Invocation, "sandbox" | "deny" | "deniedPaths" | "level">,
  allow: readonly string[],
): readonly string[] {
  const { sandbox } = call;
  if (sandbox === null && allow.length === 0) return [];
  const permissions = {
    ...(sandbox !== null && { additionalDirectories: sandbox.writable }),
    // The flag for rules splits them at commas and blanks behind a parenthesis. JSON needs no such care.
    ...(allow.length > 0 && { allow }),
  };
  const settings = { ...(sandbox !== null && sandboxSettings(call, sandbox)), permissions };
  return [`--settings=${JSON.stringify(settings)}`];
}

function sandboxSettings(
  { deny, deniedPaths, level }: Pick<Invocation, "deny" | "deniedPaths" | "level">,
  sandbox: NonNullable<Invocation["sandbox"]>,
) {
  const { writable } = sandbox;
  // The client mounts each path of the list. 2.1.197 mounts no others, so their folders could be moved.
  const allowWrite = [...writable, ...deniedPaths.flatMap((each) => foldersAround(each, writable))];
  // Paths with wildcards are rules of the tools only: the sandbox mounts existing places.
  const denyRead = deny.flatMap(({ kind, value }) =>
    kind === "read" && !value.includes("*") ? [value] : [],
  );
  return {
    sandbox: {
      enabled: true,
      failIfUnavailable: true,
      allowUnsandboxedCommands: false,
      autoAllowBashIfSandboxed: level === "full",
      filesystem: { allowWrite: [...new Set(allowWrite)], denyWrite: deniedPaths, denyRead },
      network: { allowedDomains: sandbox.network ? ["*"] : [] },
    },
  };
}

/** Tools that use the network outside of the sandbox of commands. */
export const NETWORK_TOOLS = ["WebFetch", "WebSearch"] as const;
