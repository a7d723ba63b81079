import type { ProcessCall, ProcessHost } from "../../engine/ports/process.ts";
import type { Spawned } from "../children/started-child.ts";
import type { StepFilter } from "../step-records.ts";
import type { ProcessTree, TerminateOptions, TerminateResult } from "../terminate.ts";
import type { ProcessTable } from "./table.ts";

/** The platform-specific part of process handling. Other code never checks the platform. */
export interface ProcessPlatform extends Pick<ProcessHost, "identify" | "signal" | "recordSteps"> {
  readonly table: ProcessTable;
  /**
   * Starts a child with its pipes, on Unix as the leader of a session and process group. Rejects
   * only for bugs.
   */
  readonly spawn: (call: ProcessCall) => Promise<Spawned>;
  readonly terminate: (tree: ProcessTree, options: TerminateOptions) => Promise<TerminateResult>;
  /** The recorded groups of these steps that still belong to the run. */
  readonly livingGroups: (folder: string, which: StepFilter) => Promise<readonly number[]>;
}
