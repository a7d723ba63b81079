import type { AgentId } from "./agent.ts";

/** What a person has said to a question, who that was, and when. */
export interface Answer {
  readonly agent: AgentId;
  /** Of the question. */
  readonly number: number;
  readonly answer: string;
  readonly by: Answerer;
  /** Epoch ms. */
  readonly at: number;
}

/** Who has answered, as far as that is known, and by what. */
export interface Answerer {
  readonly user: string | null;
  readonly host: string | null;
  readonly via: (typeof ANSWERED_VIA)[number];
}

/** The ways to answer: at the terminal of the run, by `raymond answer`, in a browser, or beforehand, in a file. */
export const ANSWERED_VIA = ["terminal", "command", "dashboard", "file"] as const;
