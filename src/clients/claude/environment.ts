/**
 * Environment variables of every call (docs/claude.md, "Command line"): no updates during a run, and no memory by
 * default, since all conversations of a folder share it. A `disarmed` prompt attaches no files.
 */
export function clientSwitches(
  memory: boolean,
  disarmed: boolean,
): Readonly<Record<string, string>> {
  return {
    DISABLE_AUTOUPDATER: "1",
    ...(memory ? {} : { CLAUDE_CODE_DISABLE_AUTO_MEMORY: "1" }),
    ...(disarmed ? { CLAUDE_CODE_DISABLE_ATTACHMENTS: "1" } : {}),
  };
}

/** Variables that the client sets for its children. raymond may be started by a client, and starts others. */
export const NESTED_SESSION_VARIABLES: ReadonlySet<string> = new Set(["CLAUDECODE"]);
