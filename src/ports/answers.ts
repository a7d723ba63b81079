import type { Answer } from "../core/machine/answer.ts";
import type { Question } from "../core/machine/question.ts";

/** What persons answer to the questions of a run. The first answer to a question is its only one. */
export interface Answers {
  /**
   * The answers to these questions, as far as they were given. A question whose
   * time is over at `now` (epoch ms) takes none from then on, so whoever looks
   * once more sees what is looked at here. Never rejects.
   */
  take(open: readonly Question[], now: number): Promise<readonly Answer[]>;
  /** What lies in the place of an answer; null: nothing. */
  find(asked: Asked): Promise<Given | null>;
  /**
   * Answers where nobody has, and gives null once that survives a power loss. Else
   * nothing is changed, and it gives what lies there.
   */
  give(answer: Answer): Promise<Given | null>;
}

/** What names a question. */
export type Asked = Pick<Question, "agent" | "number">;

/** What lies in the place of an answer. */
export type Given =
  | ({ readonly kind: "answer" } & Answer)
  /** Its time was over before anybody has answered; epoch ms. */
  | { readonly kind: "closed"; readonly at: number }
  /** Somebody has made it by hand. */
  | { readonly kind: "unreadable"; readonly file: string };
