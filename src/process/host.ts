import type { ProcessHost } from "../ports/process.ts";
import { leftoversOf } from "./leftovers.ts";
import { platformOf } from "./platforms.ts";
import { startProcess } from "./run-process.ts";

/** The processes of this machine, or of one like another platform's, for tests. */
export function processHost(name: NodeJS.Platform = process.platform): ProcessHost {
  const platform = platformOf(name);
  return {
    start: (call) => startProcess(call, { platform }),
    identify: async (pid, known) =>
      Number.isInteger(pid) && pid > 0 ? platform.identify(pid, known) : null,
    signal: platform.signal,
    recording: platform.recording,
    leftovers: (groups, elder = null, epoch = null) =>
      leftoversOf(platform, groups, { elder, epoch }),
  };
}
