import type { ProcessHost } from "../../engine/ports/process.ts";
import { spawnChild } from "../children/spawn-child.ts";
import { signalByPid } from "../send-signal.ts";
import { livingGroups, recordGroups } from "../step-groups.ts";
import { terminate } from "../terminate.ts";
import { identityByTable, identityOnLinux } from "./identity.ts";
import type { ProcessPlatform } from "./platform.ts";
import { procTable } from "./proc-table.ts";
import { psTable } from "./ps-table.ts";
import type { ProcessTable } from "./table.ts";

/** Until then, a process is found by the token in its environment, or in that of its group's leader. */
const RECORD_AFTER_MS = 20;

export const linux = unix(procTable, identityOnLinux, RECORD_AFTER_MS);

/** macOS, and other systems with `ps`. */
export const otherUnix = byPs(psTable());

function byPs(table: ProcessTable): ProcessPlatform {
  return unix(table, identityByTable(table), 0);
}

function unix(
  table: ProcessTable,
  identify: ProcessHost["identify"],
  recordAfterMs: number,
): ProcessPlatform {
  return {
    table,
    identify,
    signal: signalByPid,
    spawn: (call) => spawnChild(call, false),
    terminate: (tree, options) => terminate(tree, table, options),
    recordSteps: (start, folder) => recordGroups(start, folder, { table, identify }, recordAfterMs),
    livingGroups: (folder, which) => livingGroups(folder, which, identify),
  };
}
