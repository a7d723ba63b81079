import type { Invocation } from "../../engine/ports/backend.ts";

/** The settings of the client for a sandboxed call (docs/security.md, "Sandbox"), or none. */
export function sandboxArgs({
  sandbox,
  deniedPaths,
  level,
}: Pick<Invocation, "sandbox" | "deniedPaths" | "level">): readonly string[] {
  if (sandbox === null) return [];
  const settings = {
    sandbox: {
      enabled: true,
      failIfUnavailable: true,
      allowUnsandboxedCommands: false,
      autoAllowBashIfSandboxed: level === "full",
      filesystem: { allowWrite: sandbox.writable, denyWrite: deniedPaths },
      network: { allowedDomains: sandbox.network ? ["*"] : [] },
    },
    permissions: { additionalDirectories: sandbox.writable },
  };
  return [`--settings=${JSON.stringify(settings)}`];
}

/** Tools that use the network outside of the sandbox of commands. */
export const NETWORK_TOOLS = ["WebFetch", "WebSearch"] as const;
