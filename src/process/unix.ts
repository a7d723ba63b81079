import type { ProcessHost } from "../ports/process.ts";
import { spawnByExeca } from "./execa-child.ts";
import { identityByTable, identityOnLinux } from "./identity.ts";
import { spawnByNode } from "./node-child.ts";
import type { ProcessPlatform } from "./platform.ts";
import { procTable } from "./proc-table.ts";
import { psTable } from "./ps-table.ts";
import { signalByPid } from "./send-signal.ts";
import { livingGroups, recordGroups } from "./step-groups.ts";
import type { ProcessTable } from "./table.ts";
import { terminate } from "./terminate.ts";

export const linux = unix(procTable, identityOnLinux);

/** macOS, and whatever else has a `ps`. */
export const otherUnix = byPs(psTable());

function byPs(table: ProcessTable): ProcessPlatform {
  return unix(table, identityByTable(table));
}

function unix(table: ProcessTable, identify: ProcessHost["identify"]): ProcessPlatform {
  return {
    table,
    identify,
    signal: signalByPid,
    // By execa, but for what it would not leave as it is: outputs that can be opened by name (docs/decisions/0007).
    spawn: (call) => (call.reopenable === true ? spawnByNode : spawnByExeca)(call, false),
    terminate: (tree, options) => terminate(tree, table, options),
    recording: (start, folder) => recordGroups(start, folder, { table, identify }),
    living: (folder, which) => livingGroups(folder, which, identify),
  };
}
