import type { Event } from "../core/machine/event.ts";

/** A process that a step has left running, or that has survived its run. */
export interface Leftover {
  readonly pid: number;
  readonly command: string;
}

/** Processes that outlive their step, as a port (docs/durability.md, "The promises"). */
export interface Leftovers {
  /**
   * Ends every process that carries this run token or descends from one that
   * does, as far as the platform lets it see. Returns what it has ended.
   */
  end(runToken: string): Promise<readonly Leftover[]>;
  /** The same for one attempt of a step, by its own token. */
  endStep(stepToken: string): Promise<readonly Leftover[]>;
}

/** What there is to tell of processes that were ended. */
export function tellEnded(ended: readonly Leftover[]): readonly Event[] {
  return ended.map(({ pid, command }) => {
    const message = `A step had left a process running, and it was ended: ${command} (pid ${String(pid)}).`;
    return { type: "run.warning", message, hint: null };
  });
}
