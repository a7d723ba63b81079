import { spawn } from "node:child_process";

/** Starts a program of the desktop, such as a browser, which nobody waits for. One that is not there is no error. */
export function startUnattended(
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
