import { spawn } from "node:child_process";

/**
 * Opens a file in an editor that has the terminal until it ends; resolves with
 * its exit code, null where a signal has ended it. Rejects where it cannot be
 * started. `command` may have arguments, as those of VISUAL and EDITOR do.
 */
export async function editFile(command: string, file: string): Promise<number | null> {
  const windows = process.platform === "win32";
  // Ctrl-C in the terminal is the editor's.
  const stay = () => undefined;
  process.on("SIGINT", stay);
  try {
    const child = windows
      ? spawn(`${command} "${file}"`, { shell: true, stdio: "inherit" })
      : spawn("/bin/sh", ["-c", `${command} "$1"`, "sh", file], { stdio: "inherit" });
    return await new Promise((resolve, reject) => {
      child.once("error", reject);
      child.once("close", resolve);
    });
  } finally {
    process.off("SIGINT", stay);
  }
}
