import { execFile } from "node:child_process";
import type { ProcessRow, ProcessTable } from "./table.ts";
import { systemProgram } from "./windows-system.ts";

/**
 * The process table of Windows, from PowerShell. Takes most of a second. It shows no environments
 * and has no groups: each process is its own group. Empty without PowerShell.
 */
export const windowsTable: ProcessTable = {
  showsTokens: false,
  rows: async () => withoutReusedParents(await listProcesses()),

  async startTicks(pids) {
    if (pids.length === 0) return new Map();
    const rows = (await listProcesses()).filter(({ pid }) => pids.includes(pid));
    return new Map(rows.map((row) => [row.pid, row.startTicks]));
  },

  commandLine: (row) => row.command,
};

/** Parses the output of {@link SCRIPT}. Skips malformed lines. */
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

/** Start time, epoch ms. Windows counts tenths of a microsecond since 1601. */
export function startTime({ startTicks }: Pick<ProcessRow, "startTicks">): number {
  return Number(startTicks) / 10_000 - 11_644_473_600_000;
}

/**
 * Windows keeps the pid of a dead parent, which may have been reused. A process older than its
 * parent has no parent.
 */
export function withoutReusedParents(rows: readonly ProcessRow[]): readonly ProcessRow[] {
  const started = new Map(rows.map((row) => [row.pid, startTime(row)]));
  return rows.map((row) => {
    const parent = started.get(row.parent);
    return parent !== undefined && parent > startTime(row) ? { ...row, parent: 0 } : row;
  });
}

/** All processes as Windows lists them, including pids of dead parents. */
export function listProcesses(): Promise<readonly ProcessRow[]> {
  const args = ["-NoProfile", "-NonInteractive", "-Command", SCRIPT];
  const options = { windowsHide: true, maxBuffer: 64 * 1024 * 1024, timeout: LOOK_MS };
  return new Promise((resolve) => {
    const powershell = systemProgram("WindowsPowerShell\\v1.0\\powershell.exe");
    execFile(powershell, args, options, (_error, stdout) => {
      resolve(parseProcesses(stdout));
    });
  });
}

/** One line per process: pid, parent, start, command line. Kernel processes have no start. */
const SCRIPT = [
  "[Console]::OutputEncoding = [Text.Encoding]::UTF8",
  "Get-CimInstance Win32_Process | Where-Object CreationDate | ForEach-Object {" +
    " '{0} {1} {2} {3}' -f $_.ProcessId, $_.ParentProcessId, $_.CreationDate.ToFileTimeUtc()," +
    " (\"$($_.CommandLine)\" -replace '[\\r\\n]+', ' ') }",
].join("; ");
const ROW = /^(\d+) (\d+) (\d+) ?(.*)$/;
const LOOK_MS = 20_000;
