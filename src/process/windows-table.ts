import { execFile } from "node:child_process";
import type { ProcessRow, ProcessTable } from "./table.ts";
import { systemProgram } from "./windows-system.ts";

/**
 * The process table of Windows, by its PowerShell: most of a second for each
 * look, so nobody looks without need. It shows no environments and knows no
 * groups: each process is its own. Empty where there is no PowerShell.
 */
export const windowsTable: ProcessTable = {
  showsTokens: false,
  rows: async () => withoutReusedParents(await look()),

  async startTicks(pids) {
    if (pids.length === 0) return new Map();
    const rows = (await look()).filter(({ pid }) => pids.includes(pid));
    return new Map(rows.map((row) => [row.pid, row.startTicks]));
  },

  commandLine: (row) => row.command,
};

/** Reads what {@link SCRIPT} prints; lines that are none are passed over. */
export function parseProcesses(text: string): readonly ProcessRow[] {
  return text.split(/\r?\n/).flatMap((line) => {
    const [, pid, parent, startTicks, command = ""] = ROW.exec(line) ?? [];
    if (startTicks === undefined) return [];
    return {
      pid: Number(pid),
      parent: Number(parent),
      group: Number(pid),
      startTicks,
      token: null,
      command,
    };
  });
}

/** When a process started, epoch ms: Windows counts tenths of a microsecond since 1601. */
export function startedAt({ startTicks }: Pick<ProcessRow, "startTicks">): number {
  return Number(startTicks) / 10_000 - 11_644_473_600_000;
}

/**
 * Windows goes on naming a parent that has ended, and its pid may be another's by
 * now: who is older than "its parent" is nobody's child.
 */
export function withoutReusedParents(rows: readonly ProcessRow[]): readonly ProcessRow[] {
  const started = new Map(rows.map((row) => [row.pid, startedAt(row)]));
  return rows.map((row) => {
    const parent = started.get(row.parent);
    return parent !== undefined && parent > startedAt(row) ? { ...row, parent: 0 } : row;
  });
}

/** Its processes as Windows names them, parents that have ended included. */
export function look(): Promise<readonly ProcessRow[]> {
  const args = ["-NoProfile", "-NonInteractive", "-Command", SCRIPT];
  const options = { windowsHide: true, maxBuffer: 64 * 1024 * 1024, timeout: LOOK_MS };
  return new Promise((resolve) => {
    const powershell = systemProgram("WindowsPowerShell\\v1.0\\powershell.exe");
    execFile(powershell, args, options, (_error, stdout) => {
      resolve(parseProcesses(stdout));
    });
  });
}

/** One line a process: pid, parent, start, command line. Those of the kernel itself have no start. */
const SCRIPT = [
  "[Console]::OutputEncoding = [Text.Encoding]::UTF8",
  "Get-CimInstance Win32_Process | Where-Object CreationDate | ForEach-Object {" +
    " '{0} {1} {2} {3}' -f $_.ProcessId, $_.ParentProcessId, $_.CreationDate.ToFileTimeUtc()," +
    " (\"$($_.CommandLine)\" -replace '[\\r\\n]+', ' ') }",
].join("; ");
const ROW = /^(\d+) (\d+) (\d+) ?(.*)$/;
const LOOK_MS = 20_000;
