import type { ProcessCall, ProcessHost } from "../ports/process.ts";
import type { Spawned } from "./spawned.ts";
import type { WhichSteps } from "./step-records.ts";
import type { ProcessTable } from "./table.ts";
import type { Terminated, TerminateOptions } from "./terminate.ts";
import type { ProcessTree } from "./tree.ts";

/** All in which platforms differ here: the rest of the room asks this, and never on which one it is. */
export interface ProcessPlatform extends Pick<ProcessHost, "identify" | "signal" | "recording"> {
  readonly table: ProcessTable;
  /** With its pipes and, on Unix, as the leader of a session and process group of its own. Rejects only for bugs. */
  readonly spawn: (call: ProcessCall) => Promise<Spawned>;
  /** Ends a process with all that it has started. */
  readonly terminate: (tree: ProcessTree, options: TerminateOptions) => Promise<Terminated>;
  /** The groups written down in this folder that are still the run's, of these steps. */
  readonly living: (folder: string, which: WhichSteps) => Promise<readonly number[]>;
}
