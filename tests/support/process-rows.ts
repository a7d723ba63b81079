import { thisPlatform } from "../../src/process/platforms.ts";
import type { ProcessRow } from "../../src/process/table.ts";

/** A living process, as this platform's own table shows it; null for one that is dead, or a zombie. */
export async function processRow(pid: number): Promise<ProcessRow | null> {
  const rows = await thisPlatform.table.rows(null);
  return rows.find((row) => row.pid === pid) ?? null;
}

/** For bash: runs what follows in a session of its own. macOS has no setsid, and perl everywhere. */
export const OWN_SESSION = "perl -MPOSIX -e 'POSIX::setsid(); exec @ARGV'";
