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
  /** What it said is a valid transition, and it is not heard twice. */
  readonly moves: boolean;
  readonly tokens: number;
  /** What it said is no transition, and it is to be reminded. */
  readonly mumbled: boolean;
  /** The conversation that holds its prompt; null where none does. */
  readonly held: string | null;
  /** What it told of its cost itself, micro-dollars; null: it died without a word. */
  readonly cost: number | null;
}
