import { thisPlatform } from "../../../src/process/platform/platforms.ts";
import type { ProcessRow } from "../../../src/process/platform/table.ts";

/** The row of a process in the process table of the platform; null if it is dead or a zombie. */
export async function processRow(pid: number): Promise<ProcessRow | null> {
  const rows = await thisPlatform.table.rows(null);
  return rows.find((row) => row.pid === pid) ?? null;
}

/** A bash prefix that runs a command in a new session. macOS has no setsid, but perl. */
export const OWN_SESSION = "perl -MPOSIX -e 'POSIX::setsid(); exec @ARGV'";
