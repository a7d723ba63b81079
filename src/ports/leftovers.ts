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
 * Processes that outlive their step, as a port (docs/durability.md, "The
 * promises"). Contract: `tests/contracts/leftovers.ts`.
 */
export interface Leftovers {
  /** Those that carry this run token or descend from one that does, as far as the platform lets it see. */
  find(runToken: string): Promise<readonly Leftover[]>;
  /** Ends them all. The caller holds the run's lock: the steps of a run that goes on are the same. */
  end(runToken: string): Promise<Swept>;
  /** The same for one attempt of a step of a run that goes on, by its own token. */
  endStep(stepToken: string): Promise<Swept>;
}
