import { spawnChild } from "../children/spawn-child.ts";
import { signalOnWindows } from "../send-signal.ts";
import { endOnWindows } from "./end-on-windows.ts";
import { identityOnWindows } from "./identity.ts";
import type { ProcessPlatform } from "./platform.ts";
import { livingSteps, recordSteps } from "./windows-steps.ts";
import { windowsTable } from "./windows-table.ts";

export const windows: ProcessPlatform = {
  table: windowsTable,
  identify: identityOnWindows,
  signal: signalOnWindows,
  spawn: (call) => spawnChild(call, true),
  async terminate(tree) {
    if (!tree.running()) return { signalled: false };
    const mayLive = await endOnWindows(tree);
    return { signalled: true, ...(mayLive === null ? {} : { survivors: mayLive }) };
  },
  recordSteps: recordSteps,
  livingGroups: livingSteps,
};
