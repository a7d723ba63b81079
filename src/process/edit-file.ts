import { spawn } from "node:child_process";

/**
 * Opens a file in an editor in this terminal. Resolves with the exit code, null after a signal.
 * Rejects if the editor cannot be started. `command` may have arguments, like VISUAL and EDITOR.
 */
export async function editFile(command: string, file: string): Promise<number | null> {
  const windows = process.platform === "win32";
  // Ctrl-C is for the editor.
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
