/** A program in the Windows system folder. */
export type SystemProgram =
  | "chcp.com"
  | "cmd.exe"
  | "taskkill.exe"
  | "WindowsPowerShell\\v1.0\\powershell.exe";

/**
 * The absolute path of a Windows program. Given a bare name, Windows would first search the working
 * directory of the agent.
 */
export function systemProgram(
  program: SystemProgram,
  systemRoot: string | undefined = process.env["SystemRoot"],
): string {
  return `${systemRoot ?? "C:\\Windows"}\\System32\\${program}`;
}

/**
 * A call of `cmd.exe` with one command line. Its arguments must be passed verbatim, because cmd has
 * its own quoting rules.
 */
export interface CmdCall {
  readonly command: string;
  readonly args: readonly string[];
}

/**
 * Runs a command line unchanged: `/s` only removes the outer quotes, `/d` disables AutoRun commands
 * from the registry.
 */
export function cmdCall(line: string, systemRoot?: string): CmdCall {
  return { command: systemProgram("cmd.exe", systemRoot), args: ["/d", "/s", "/c", `"${line}"`] };
}

/**
 * A command line with a UTF-8 console. Its exit code is preserved. `(call )` resets the errorlevel
 * on systems without chcp.
 */
export function inUtf8(line: string, systemRoot?: string): string {
  return `"${systemProgram("chcp.com", systemRoot)}" 65001 >nul 2>nul & (call ) & ${line}`;
}
