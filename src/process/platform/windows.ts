import { spawnByExeca } from "../children/execa-child.ts";
import { spawnByNode } from "../children/node-child.ts";
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
  // execa does not support a complete command line (docs/decisions/0007).
  spawn: (call) => (call.verbatim === true ? spawnByNode(call, true) : spawnByExeca(call)),
  async terminate(tree) {
    if (!tree.running()) return { signalled: false };
    const mayLive = await endOnWindows(tree);
    return { signalled: true, ...(mayLive === null ? {} : { survivors: mayLive }) };
  },
  recordSteps: recordSteps,
  livingGroups: livingSteps,
};
