import type { Actor } from "./actor.ts";
import type { AgentId } from "./agent.ts";

export interface Answer {
  readonly agent: AgentId;
  /** Number of the question. */
  readonly number: number;
  readonly answer: string;
  readonly by: Actor;
  /** Epoch ms. */
  readonly at: number;
}
