import { endOnWindows } from "./end-on-windows.ts";
import { spawnByExeca } from "./execa-child.ts";
import { identityOnWindows } from "./identity.ts";
import { spawnByNode } from "./node-child.ts";
import type { ProcessPlatform } from "./platform.ts";
import { signalOnWindows } from "./send-signal.ts";
import { livingSteps, recordSteps } from "./windows-steps.ts";
import { windowsTable } from "./windows-table.ts";

export const windows: ProcessPlatform = {
  table: windowsTable,
  identify: identityOnWindows,
  signal: signalOnWindows,
  // By execa, but for a command line that is whole already (docs/decisions/0007).
  spawn: (call) => (call.verbatim === true ? spawnByNode : spawnByExeca)(call, true),
  async terminate(tree) {
    if (!tree.running()) return { signalled: false };
    const mayLive = await endOnWindows(tree);
    return { signalled: true, ...(mayLive === null ? {} : { mayLive }) };
  },
  recording: recordSteps,
  living: livingSteps,
};
