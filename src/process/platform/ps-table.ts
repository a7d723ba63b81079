import { execFile } from "node:child_process";
import { TOKEN_VARIABLE } from "../../engine/ports/process.ts";
import type { ProcessRow, ProcessTable } from "./table.ts";

/**
 * The process table of macOS and other Unixes, from `ps`. Incomplete, because macOS hides the
 * environment of system programs.
 */
export function psTable(command = "/bin/ps"): ProcessTable {
  return {
    showsTokens: true,
    async rows() {
      const rows = parsePs(await ps(command, ["-AEww", "-o", COLUMNS]));
      // Only macOS supports -E. Without environments, groups and parents still work.
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

/** Parses `ps` output with the columns pid, ppid, pgid, stat, lstart, command. Skips zombies. */
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
      // The environment follows the command; only its first assignment marks the border.
      command: words.replace(/\s[A-Za-z_]\w*=.*$/s, ""),
    };
  });
}

const COLUMNS = "pid=,ppid=,pgid=,stat=,lstart=,command=";
const ROW =
  /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\w+\s+\w+\s+\d+\s+\d+:\d+:\d+\s+\d{4})(?:\s+(.*))?$/;
const TOKEN = new RegExp(`(?:^|\\s)${TOKEN_VARIABLE}=(\\S*)`);

/**
 * The output of `ps`, independent of locale and time zone, because the start time is part of a
 * process identity. Empty on failure.
 */
function ps(command: string, args: readonly string[]): Promise<string> {
  const env = { ...process.env, LC_ALL: "C", TZ: "UTC0" };
  const options = { env, maxBuffer: 256 * 1024 * 1024 };
  return new Promise((resolve) => {
    // ps exits with 1 if a pid is gone, but the other lines are valid.
    execFile(command, [...args], options, (_error, stdout) => {
      resolve(stdout);
    });
  });
}
