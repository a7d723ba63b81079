/**
 * What raymond adds for every call of the client (docs/claude.md, "What is
 * called"): no updates in the middle of a run, and no memory unless it is asked
 * for, since it is shared by all conversations of a folder and fresh must mean
 * fresh. A `disarmed` prompt attaches no files.
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

/** What the client sets for what it starts: raymond may be started by one, and starts others. */
export const NESTED_MARKS: ReadonlySet<string> = new Set(["CLAUDECODE"]);
