import { closeSync } from "node:fs";
import { isatty } from "node:tty";

/**
 * Lets go, when the process ends, of each terminal that was closed meanwhile.
 * On its way out Node puts back the modes of the terminals it was started on,
 * and aborts where one is gone (SIGABRT, or worse, in place of the exit code);
 * a descriptor that is closed it leaves alone.
 */
export function releaseLostTerminals(process: NodeJS.Process): void {
  const terminals = [0, 1, 2].filter((fd) => isatty(fd));
  process.on("exit", () => {
    for (const fd of terminals) if (!isatty(fd)) release(fd);
  });
}

function release(fd: number): void {
  try {
    closeSync(fd);
  } catch {
    // It is closed already.
  }
}
