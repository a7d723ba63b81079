import type { ProcessHost } from "../../engine/ports/process.ts";
import { startProcess } from "../children/run-process.ts";
import { recordContainers, withContainers } from "../containers.ts";
import { orphanProcesses } from "../orphans.ts";
import { platformOf } from "./platforms.ts";

/** The processes of this machine. Tests may pass another platform. */
export function processHost(name: NodeJS.Platform = process.platform): ProcessHost {
  const platform = platformOf(name);
  return {
    start: (call) => startProcess(call, { platform }),
    identify: async (pid, known) =>
      Number.isInteger(pid) && pid > 0 ? platform.identify(pid, known) : null,
    signal: platform.signal,
    recordSteps: (start, groups) => recordContainers(platform.recordSteps(start, groups), groups),
    orphans: (groups, oldest = null, epoch = null) =>
      withContainers(orphanProcesses(platform, groups, { oldest, epoch }), groups, epoch),
  };
}
