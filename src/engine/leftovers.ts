/** A process that a step has left running, or that has survived its run. */
export interface Leftover {
  readonly pid: number;
  readonly command: string;
}

/** Processes that outlive their step, as a port (spec 1.8, last paragraph; spec 4, Signals). */
export interface Leftovers {
  /**
   * Ends every process that carries this run token or descends from one that
   * does, as far as the platform lets it see. Returns what it has ended.
   */
  end(runToken: string): Promise<readonly Leftover[]>;
}
