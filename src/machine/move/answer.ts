import type { AgentId } from "../agent.ts";

/** An answer to a question. */
export interface Answer {
  readonly agent: AgentId;
  /** Number of the question. */
  readonly number: number;
  readonly answer: string;
  readonly by: Answerer;
  /** Epoch ms. */
  readonly at: number;
}

/** Who answered, and how. */
export interface Answerer {
  readonly user: string | null;
  readonly host: string | null;
  readonly via: (typeof ANSWERED_VIA)[number];
}

export const ANSWERED_VIA = ["terminal", "command", "dashboard", "file"] as const;
