import { closeSync } from "node:fs";
import { isatty } from "node:tty";

/**
 * Closes, at exit, terminals that have disconnected. Node restores the modes of its terminals at exit and aborts
 * (SIGABRT instead of the exit code) if one of them is gone. It skips closed descriptors.
 */
export function closeLostTerminals(process: NodeJS.Process): void {
  const terminals = [0, 1, 2].filter((fd) => isatty(fd));
  process.on("exit", () => {
    for (const fd of terminals) if (!isatty(fd)) close(fd);
  });
}

function close(fd: number): void {
  try {
    closeSync(fd);
  } catch {
    // Closed already.
  }
}
