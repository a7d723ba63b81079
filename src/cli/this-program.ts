/** How this raymond was called, to call it again: a program and its first arguments. */
export function thisProgram(): readonly [string, ...string[]] {
  return [process.execPath, ...process.execArgv, process.argv[1] ?? ""];
}
