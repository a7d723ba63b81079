/** A process of a step that outlived it. */
export interface OrphanProcess {
  readonly pid: number;
  /** The command line, for display. */
  readonly command: string;
}

export interface OrphanCleanup {
  /** Processes that were terminated. */
  readonly ended: readonly OrphanProcess[];
  /** Processes that are still alive. */
  readonly remaining: readonly OrphanProcess[];
  /** Containers that could not be removed, as sentences; absent: none. */
  readonly warnings?: readonly string[];
}

/**
 * The token of a step: `<run token>.<process number>`, or `<run token>.<epoch>.<process number>` if
 * the run's claim has an epoch. The epoch distinguishes processes of an older claim from those of a
 * newer one.
 */
export function stepToken(runToken: string, epoch: number | null, process: number): string {
  return [runToken, ...(epoch === null ? [] : [epoch]), process].join(".");
}

/**
 * Finds and terminates processes that outlived their step (docs/durability.md, "Guarantees").
 * Contract: `tests/contracts/orphans.ts`. Processes of a newer claim of the run are neither found
 * nor terminated.
 */
export interface OrphanProcesses {
  /**
   * Processes that carry this run token or descend from one that does, as far as the platform shows
   * them.
   */
  find(runToken: string): Promise<readonly OrphanProcess[]>;
  /**
   * Terminates them all. The caller must hold the run's lock: steps of a running run carry the same
   * token.
   */
  end(runToken: string): Promise<OrphanCleanup>;
  /** Terminates the processes of one attempt of a step, by its own token. */
  endStep(stepToken: string): Promise<OrphanCleanup>;
}
