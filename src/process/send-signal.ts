import { errorCode } from "../core/error-code.ts";
import type { KnownProcess, SignalAnswer } from "../ports/process.ts";
import { killOnWindows } from "./end-on-windows.ts";
import { hasSignalPipe, isPipeIdentity, signalByPipe } from "./signal-pipe.ts";

/** Sends a signal to another process, as its platform can. */
export async function sendSignal(
  to: KnownProcess,
  signal: NodeJS.Signals,
  platform: NodeJS.Platform = process.platform,
): Promise<SignalAnswer> {
  if (platform === "win32") return sendOnWindows(to, signal);
  try {
    process.kill(to.pid, signal);
    return "sent";
  } catch (error) {
    const code = errorCode(error);
    if (code === "ESRCH") return "gone";
    if (code === "EPERM") return "not-permitted";
    throw error;
  }
}

/** Windows has no signals but the hardest, which is sent to a pid only while its pipe says whose that is. */
async function sendOnWindows(
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
