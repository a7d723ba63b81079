import type { ProcessCall, ProcessHost } from "../../engine/ports/process.ts";
import { spawnByNode } from "../children/node-child.ts";
import type { Spawned } from "../children/started-child.ts";
import { launchScripts, type Spawn } from "../launcher/launched-script.ts";
import { signalByPid } from "../send-signal.ts";
import { livingGroups, recordGroups } from "../step-groups.ts";
import { terminate } from "../terminate.ts";
import { identityByTable, identityOnLinux } from "./identity.ts";
import type { ProcessPlatform } from "./platform.ts";
import { procTable } from "./proc-table.ts";
import { psTable } from "./ps-table.ts";
import type { ProcessTable } from "./table.ts";

/** `spawnScript` starts scripts; tests pass other ones. */
export function linuxWith(spawnScript: Spawn): ProcessPlatform {
  return unix(procTable, identityOnLinux, RECORD_AFTER_MS, spawnScript);
}

/** Until then, a process is found by the token in its environment, or in that of its group's leader. */
const RECORD_AFTER_MS = 20;

export const linux = linuxWith(launchScripts(spawnDirectly));

/** macOS, and other systems with `ps`. */
export const otherUnix = byPs(psTable());

function byPs(table: ProcessTable): ProcessPlatform {
  return unix(table, identityByTable(table), 0);
}

function spawnDirectly(call: ProcessCall): Promise<Spawned> {
  return spawnByNode(call, false);
}

function unix(
  table: ProcessTable,
  identify: ProcessHost["identify"],
  recordAfterMs: number,
  spawnScript: Spawn = spawnDirectly,
): ProcessPlatform {
  return {
    table,
    identify,
    signal: signalByPid,
    spawn: (call) => (call.reopenable === true ? spawnScript(call) : spawnDirectly(call)),
    terminate: (tree, options) => terminate(tree, table, options),
    recordSteps: (start, folder) => recordGroups(start, folder, { table, identify }, recordAfterMs),
    livingGroups: (folder, which) => livingGroups(folder, which, identify),
  };
}
