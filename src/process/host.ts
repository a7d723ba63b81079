import type { ProcessHost } from "../ports/process.ts";
import { processIdentity } from "./identity.ts";
import { startProcess } from "./run-process.ts";
import { sendSignal } from "./send-signal.ts";

/** The processes of this machine, or of one like another platform's, for tests. */
export function processHost(platform: NodeJS.Platform = process.platform): ProcessHost {
  return {
    start: (call) => startProcess(call, { platform }),
    identify: (pid, known) => processIdentity(pid, platform, known),
    signal: (to, signal) => sendSignal(to, signal, platform),
  };
}
