import { execFile } from "node:child_process";
import { TOKEN_VARIABLE } from "../ports/process.ts";
import type { ProcessRow, ProcessTable } from "./table.ts";

/**
 * The process table of macOS and other Unixes, by `ps`: best effort, for the
 * environment of the system's own programs is not shown there.
 */
export function psTable(command = "/bin/ps"): ProcessTable {
  return {
    showsTokens: true,
    async rows() {
      const rows = parsePs(await ps(command, ["-AEww", "-o", COLUMNS]));
      // Only macOS knows -E. Without environments there are still groups and parents.
      return rows.length > 0 ? rows : parsePs(await ps(command, ["-Aww", "-o", COLUMNS]));
    },

    async startTicks(pids) {
      if (pids.length === 0) return new Map();
      const rows = parsePs(await ps(command, ["-ww", "-o", COLUMNS, "-p", pids.join(",")]));
      return new Map(rows.map((row) => [row.pid, row.startTicks]));
    },

    commandLine: (row) => row.command,
  };
}

/** Reads what `ps` prints for the columns pid, ppid, pgid, stat, lstart, command; without zombies. */
export function parsePs(text: string): readonly ProcessRow[] {
  return text.split("\n").flatMap((line) => {
    const [, pid, parent, group, state, startTicks, words] = ROW.exec(line) ?? [];
    if (startTicks === undefined || words === undefined || state?.startsWith("Z")) return [];
    return {
      pid: Number(pid),
      parent: Number(parent),
      group: Number(group),
      startTicks,
      token: TOKEN.exec(words)?.[1] ?? null,
      // The environment follows the command without any mark but its first assignment.
      command: words.replace(/\s[A-Za-z_]\w*=.*$/s, ""),
    };
  });
}

const COLUMNS = "pid=,ppid=,pgid=,stat=,lstart=,command=";
const ROW =
  /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\w+\s+\w+\s+\d+\s+\d+:\d+:\d+\s+\d{4})(?:\s+(.*))?$/;
const TOKEN = new RegExp(`(?:^|\\s)${TOKEN_VARIABLE}=(\\S*)`);

/**
 * What `ps` prints, in words that depend neither on the user's language nor on
 * the time zone: a start is part of a process's name. Empty when it fails.
 */
function ps(command: string, args: readonly string[]): Promise<string> {
  const env = { ...process.env, LC_ALL: "C", TZ: "UTC0" };
  const options = { env, maxBuffer: 256 * 1024 * 1024 };
  return new Promise((resolve) => {
    // It exits with 1 when a pid is gone, and what it printed of the others counts.
    execFile(command, [...args], options, (_error, stdout) => {
      resolve(stdout);
    });
  });
}
