/** A process that a step has left running. */
export interface Leftover {
  readonly pid: number;
  /** Its command line, for people. */
  readonly command: string;
}

/** What has become of those that were to be ended. */
export interface Swept {
  /** They lived, and are dead. */
  readonly ended: readonly Leftover[];
  /** They live still. */
  readonly left: readonly Leftover[];
}

/**
 * The token of a step: `<run token>.<process number>`, or `<run token>.<epoch>.<process number>` where the
 * claim of the run has an epoch. A process of an older claim can then be told from one of a newer claim.
 */
export function stepToken(runToken: string, epoch: number | null, process: number): string {
  return [runToken, ...(epoch === null ? [] : [epoch]), process].join(".");
}

/**
 * Processes that outlive their step, as a port (docs/durability.md, "The
 * promises"). Contract: `tests/contracts/leftovers.ts`. Processes of a newer claim
 * of the run than the one that these were opened for are neither found nor ended.
 */
export interface Leftovers {
  /** Those that carry this run token or descend from one that does, as far as the platform lets it see. */
  find(runToken: string): Promise<readonly Leftover[]>;
  /** Ends them all. The caller holds the run's lock: the steps of a run that goes on are the same. */
  end(runToken: string): Promise<Swept>;
  /** The same for one attempt of a step of a run that goes on, by its own token. */
  endStep(stepToken: string): Promise<Swept>;
}
