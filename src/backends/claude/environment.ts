/**
 * What raymond adds for every call of the client (docs/claude.md, "What is
 * called"): no updates in the middle of a run, and no memory unless it is asked
 * for, since it is shared by all conversations of a folder and fresh must mean
 * fresh.
 */
export function clientSwitches(memory: boolean): Readonly<Record<string, string>> {
  return {
    DISABLE_AUTOUPDATER: "1",
    ...(memory ? {} : { CLAUDE_CODE_DISABLE_AUTO_MEMORY: "1" }),
  };
}
