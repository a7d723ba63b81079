/** A living process. Zombies are not included. */
export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /**
   * Start time in the platform's format. Distinguishes a process from a later one with the same
   * pid.
   */
  readonly startTicks: string;
  /** Value of the token variable; null without one, or if it is not readable. */
  readonly token: string | null;
  /** Its command, as far as known without further reads. */
  readonly command: string;
}

/** The process table of a platform. Never rejects: unreadable processes are skipped. */
export interface ProcessTable {
  /** False: the table shows no tokens and is slow, so it is only read to find groups. */
  readonly showsTokens: boolean;
  /**
   * All processes, as of some moment after the call. Tokens of processes older than the pid
   * `oldest` may be missing.
   */
  rows(oldest: number | null): Promise<readonly ProcessRow[]>;
  /** The start times of living processes. */
  startTicks(pids: readonly number[]): Promise<ReadonlyMap<number, string>>;
  /** The complete command line, for display. */
  commandLine(row: ProcessRow): string;
}

/**
 * The rows that `isRoot` accepts, and all their descendants, in order. Excludes the process `self`
 * and descendants that are only reachable through it.
 */
export function familyOf(
  rows: readonly ProcessRow[],
  isRoot: (row: ProcessRow) => boolean,
  self: number,
): readonly ProcessRow[] {
  const children = new Map<number, ProcessRow[]>();
  for (const row of rows) {
    const siblings = children.get(row.parent);
    if (siblings === undefined) children.set(row.parent, [row]);
    else siblings.push(row);
  }
  const found = new Map<number, ProcessRow>();
  const waiting = rows.filter(isRoot);
  // Also visits the rows pushed during the loop.
  for (const row of waiting) {
    if (row.pid === self || found.has(row.pid)) continue;
    found.set(row.pid, row);
    waiting.push(...(children.get(row.pid) ?? []));
  }
  return [...found.values()];
}
