import type { ProcessRef, SignalResult } from "../engine/ports/process.ts";
import { errorCode } from "../language/basics/error-code.ts";
import { hasSignalPipe, isPipeIdentity, signalByPipe } from "./children/signal-pipe.ts";
import { killOnWindows } from "./platform/end-on-windows.ts";

export function signalByPid({ pid }: ProcessRef, signal: NodeJS.Signals): Promise<SignalResult> {
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

/** Windows can only kill, and only while the pipe proves the identity of the pid. */
export async function signalOnWindows(
  { pid, identity }: ProcessRef,
  signal: NodeJS.Signals,
): Promise<SignalResult> {
  if (!isPipeIdentity(identity)) return "only-pid";
  if (signal !== "SIGKILL") {
    return (await signalByPipe(identity, signal)) === "gone" ? "gone" : "sent";
  }
  if (!(await hasSignalPipe(identity))) return "gone";
  return (await killOnWindows(pid)) ? "sent" : "not-permitted";
}
