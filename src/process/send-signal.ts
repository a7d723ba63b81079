import { errorCode } from "../core/error-code.ts";
import type { KnownProcess, SignalAnswer } from "../ports/process.ts";
import { killOnWindows } from "./end-on-windows.ts";
import { hasSignalPipe, isPipeIdentity, signalByPipe } from "./signal-pipe.ts";

/** Sends a signal to another process. */
export function signalByPid({ pid }: KnownProcess, signal: NodeJS.Signals): Promise<SignalAnswer> {
  try {
    process.kill(pid, signal);
    return Promise.resolve("sent");
  } catch (error) {
    const code = errorCode(error);
    if (code === "ESRCH") return Promise.resolve("gone");
    if (code === "EPERM") return Promise.resolve("not-permitted");
    throw error;
  }
}

/** Windows has no signals but the hardest, which is sent to a pid only while its pipe says whose that is. */
export async function signalOnWindows(
  { pid, identity }: KnownProcess,
  signal: NodeJS.Signals,
): Promise<SignalAnswer> {
  if (!isPipeIdentity(identity)) return "only-pid";
  if (signal !== "SIGKILL") {
    return (await signalByPipe(identity, signal)) === "gone" ? "gone" : "sent";
  }
  if (!(await hasSignalPipe(identity))) return "gone";
  return (await killOnWindows(pid)) ? "sent" : "not-permitted";
}
