import { spawn } from "node:child_process";
import type { StartService } from "../../engine/ports/process.ts";

/** Starts a service in its own process group, so that Ctrl-C in the terminal does not reach it. */
export const startService: StartService = (call) => {
  const { command, args, cwd, env, user } = call;
  const child = spawn(command, args, {
    ...{ cwd, env, ...user },
    detached: process.platform !== "win32",
    windowsHide: true,
    stdio: ["pipe", "ignore", "pipe"],
  });
  // The service may end before it reads anything.
  child.stdin.on("error", () => undefined);
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    call.onStderr(text);
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  // Callers handle the rejection.
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
