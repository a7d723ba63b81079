import { spawn } from "node:child_process";

/**
 * Starts a desktop program, such as a browser, without waiting for it. A missing program is not an
 * error.
 */
export function startDesktopProgram(
  [command = "", ...args]: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): void {
  const child = spawn(command, args, {
    env,
    detached: true,
    windowsHide: true,
    stdio: "ignore",
  });
  child.on("error", () => undefined);
  child.unref();
}
