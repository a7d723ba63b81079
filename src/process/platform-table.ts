import { procTable } from "./proc-table.ts";
import { psTable } from "./ps-table.ts";
import type { ProcessTable } from "./table.ts";

/** The process table of a platform; on Windows there is none to look at, and all is empty. */
export function processTable(platform: NodeJS.Platform): ProcessTable {
  if (platform === "linux" || platform === "android") return procTable;
  if (platform === "win32") return NO_TABLE;
  return PS_TABLE;
}

const PS_TABLE = psTable();

const NO_TABLE: ProcessTable = {
  rows: () => Promise.resolve([]),
  startTicks: () => Promise.resolve(new Map()),
  commandLine: (row) => row.command,
};
