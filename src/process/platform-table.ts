import { procTable } from "./proc-table.ts";
import { psTable } from "./ps-table.ts";
import type { ProcessTable } from "./table.ts";
import { windowsTable } from "./windows-table.ts";

/** The process table of a platform. */
export function processTable(platform: NodeJS.Platform): ProcessTable {
  if (platform === "linux" || platform === "android") return procTable;
  if (platform === "win32") return windowsTable;
  return PS_TABLE;
}

const PS_TABLE = psTable();
