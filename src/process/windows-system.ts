/** A program of Windows itself, below its system folder. */
export type SystemProgram =
  | "chcp.com"
  | "cmd.exe"
  | "taskkill.exe"
  | "WindowsPowerShell\\v1.0\\powershell.exe";

/**
 * The whole path of a program of Windows: by its bare name Windows would first
 * run one that lies in the folder where an agent works.
 */
export function systemProgram(
  program: SystemProgram,
  systemRoot: string | undefined = process.env["SystemRoot"],
): string {
  return `${systemRoot ?? "C:\\Windows"}\\System32\\${program}`;
}

/** A call of `cmd.exe` with one command line. Its arguments must reach it verbatim, as it has its own rules of quoting. */
export interface CmdCall {
  readonly command: string;
  readonly args: readonly string[];
}

/**
 * `cmd.exe` running one command line as it stands: `/s` takes away the outer
 * quotes and nothing else, `/d` runs nothing that the registry names.
 */
export function cmdCall(line: string, systemRoot?: string): CmdCall {
  return { command: systemProgram("cmd.exe", systemRoot), args: ["/d", "/s", "/c", `"${line}"`] };
}

/**
 * A command line whose console speaks UTF-8, as all that reads it expects; what
 * it ends with is the exit code. `(call )` takes back the errorlevel of a
 * system without such a console.
 */
export function inUtf8(line: string, systemRoot?: string): string {
  return `"${systemProgram("chcp.com", systemRoot)}" 65001 >nul 2>nul & (call ) & ${line}`;
}
