import path from "node:path";
import type { RunId } from "../core/machine/run-state.ts";

/** Where the conversations of a run are kept in a folder that all machines have. */
export function keptIn(folder: string, id: RunId): string {
  return path.join(folder, id);
}
