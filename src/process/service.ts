import { spawn } from "node:child_process";
import type { StartService } from "../ports/process.ts";

/** A service as a child in a process group of its own: Ctrl-C at the terminal is not for it. */
export const startService: StartService = (call) => {
  const { command, args, cwd, env, user } = call;
  const child = spawn(command, args, {
    ...{ cwd, env, ...user },
    detached: process.platform !== "win32",
    windowsHide: true,
    stdio: ["pipe", "ignore", "pipe"],
  });
  // It may have ended before it has read anything.
  child.stdin.on("error", () => undefined);
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    call.onStderr(text);
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  // Whoever waits for it is told.
  ended.catch(() => undefined);
  return {
    ended,
    signal: (signal) => {
      child.kill(signal);
    },
    write: (text) => {
      if (child.stdin.writable) child.stdin.write(text);
    },
    endInput: () => {
      child.stdin.end();
    },
  };
};
