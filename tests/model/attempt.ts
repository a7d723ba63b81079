import type { Fate } from "./fault-plan.ts";

/** What really happened to one process, whatever was saved of it. */
export interface Attempt {
  readonly process: number;
  readonly agent: string;
  readonly n: number;
  readonly state: string;
  /** It is no step of its own: the gate of one. */
  readonly gate: boolean;
  readonly fate: Fate;
  /** Its number among the calls of its state; null: a script. */
  readonly call: number | null;
  readonly ended: boolean;
  /** Its output is a valid transition, which is processed once. */
  readonly moves: boolean;
  readonly tokens: number;
  /** What it said is no transition, and it is to be reminded. */
  readonly mumbled: boolean;
  /** The conversation that holds its prompt; null where none does. */
  readonly held: string | null;
  /** Reported cost, micro-dollars; null: none. */
  readonly cost: number | null;
}
