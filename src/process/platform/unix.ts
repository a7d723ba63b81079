import type { ProcessHost } from "../../engine/ports/process.ts";
import { spawnByExeca } from "../children/execa-child.ts";
import { spawnByNode } from "../children/node-child.ts";
import { signalByPid } from "../send-signal.ts";
import { livingGroups, recordGroups } from "../step-groups.ts";
import { terminate } from "../terminate.ts";
import { identityByTable, identityOnLinux } from "./identity.ts";
import type { ProcessPlatform } from "./platform.ts";
import { procTable } from "./proc-table.ts";
import { psTable } from "./ps-table.ts";
import type { ProcessTable } from "./table.ts";

export const linux = unix(procTable, identityOnLinux);

/** macOS, and other systems with `ps`. */
export const otherUnix = byPs(psTable());

function byPs(table: ProcessTable): ProcessPlatform {
  return unix(table, identityByTable(table));
}

function unix(table: ProcessTable, identify: ProcessHost["identify"]): ProcessPlatform {
  return {
    table,
    identify,
    signal: signalByPid,
    // execa does not support outputs that can be opened by name (docs/decisions/0007).
    spawn: (call) => (call.reopenable === true ? spawnByNode : spawnByExeca)(call, false),
    terminate: (tree, options) => terminate(tree, table, options),
    recordSteps: (start, folder) => recordGroups(start, folder, { table, identify }),
    livingGroups: (folder, which) => livingGroups(folder, which, identify),
  };
}
