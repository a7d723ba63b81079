import type { Failure } from "../../machine/model/failure.ts";
import { clause, permanent } from "./ending.ts";

/** How a provider ends an answer for good: the same request would be paid again, and end like it. */
export type AnswerEnd = "refusal" | "content-filter" | "output-limit" | "context-limit" | "other";

/** Texts of a client, never of the model, and the ends that they report. */
export type AnswerEnds = readonly (readonly [text: RegExp, end: AnswerEnd])[];

/** The failure for an end of an answer; null if the text reports none. */
export function answerEndFailure(ends: AnswerEnds, text: string): Failure | null {
  const end = ends.find(([pattern]) => pattern.test(text))?.[1];
  return end === undefined ? null : failureOf(end, text);
}

/** `said`: by the client. */
export function failureOf(end: AnswerEnd, said: string): Failure {
  const { problem, hint } = ENDS[end];
  return permanent(`${problem}: ${clause(said)}.`, hint);
}

const ENDS: Readonly<Record<AnswerEnd, { readonly problem: string; readonly hint: string }>> = {
  refusal: {
    problem: "The model refused this request",
    hint: "Change the prompt, or set another model for this state.",
  },
  "content-filter": {
    problem: "The content filter of the provider ended the answer",
    hint: "Change the prompt or the text that it quotes, start a new conversation with <reset>, or set another model for this state.",
  },
  "output-limit": {
    problem: "The answer was cut off at the maximum of output tokens",
    hint: "Ask for a shorter answer, let the model write long texts to files in parts, or raise the output limit in the settings of the client.",
  },
  "context-limit": {
    problem: "The conversation is too long for the model",
    hint: "Start a new conversation with <reset> or <function>, set max_context, or use a model with a larger context.",
  },
  other: {
    problem: "The provider ended the answer",
    hint: "Change the prompt, or set another model for this state.",
  },
};
