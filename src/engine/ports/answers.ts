import type { Answer } from "../../machine/model/answer.ts";
import type { Question } from "../../machine/moves/question.ts";

/** Answers of persons to the questions of a run. The first answer to a question counts. */
export interface Answers {
  /**
   * The answers to these questions, so far. Closes a question whose time is over at `now` (epoch
   * ms), so that a repeated call returns the same. Never rejects.
   */
  collect(open: readonly Question[], now: number): Promise<readonly Answer[]>;
  /** The stored answer to a question; null for none. */
  find(asked: QuestionKey): Promise<StoredAnswer | null>;
  /**
   * Stores an answer and resolves with null once it is durable. If the question is already answered
   * or closed, changes nothing and resolves with the stored entry.
   */
  submit(answer: Answer): Promise<StoredAnswer | null>;
}

export type QuestionKey = Pick<Question, "agent" | "number">;

export type StoredAnswer =
  | ({ readonly kind: "answer" } & Answer)
  /** The question expired without an answer; epoch ms. */
  | { readonly kind: "closed"; readonly at: number }
  /** The file was edited by hand. */
  | { readonly kind: "unreadable"; readonly file: string };
