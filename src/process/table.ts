/** One living process, as the platform shows it. Zombies are dead and not shown. */
export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  /** Id of its process group. */
  readonly group: number;
  /** When it started, in the platform's own words: tells a process from a later one with its pid. */
  readonly startTicks: string;
  /** Value of the token variable it was started with; null without one, or where it may not be read. */
  readonly token: string | null;
  /** Its command, as far as it is known without further reading. */
  readonly command: string;
}

/** What a platform can tell about processes. Nothing here rejects: what cannot be read is not there. */
export interface ProcessTable {
  /** False: it shows no tokens and takes long, so nobody looks without a group to look for. */
  readonly showsTokens: boolean;
  /**
   * All processes, as of some moment after the call. With an `elder`, the pid of a process, the tokens of those that
   * are older than that one may be left unread.
   */
  rows(elder: number | null): Promise<readonly ProcessRow[]>;
  /** When a process started; null where it is dead or unknown. */
  startTicks(pids: readonly number[]): Promise<ReadonlyMap<number, string>>;
  /** The whole command line, for people. */
  commandLine(row: ProcessRow): string;
}

/**
 * The rows that `isRoot` accepts and all that descend from them, in the order of
 * the rows, without the process `self`: it is never found, and nothing is found by
 * way of it.
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
  // Those that are pushed on the way are visited as well.
  for (const row of waiting) {
    if (row.pid === self || found.has(row.pid)) continue;
    found.set(row.pid, row);
    waiting.push(...(children.get(row.pid) ?? []));
  }
  return [...found.values()];
}
