import type { Running } from "./activity.ts";
import type { Agent, SessionId } from "./agent.ts";
import { addTokens, type SpendReport, sumTokens, usesBeyond, weigh } from "./spend.ts";

/**
 * What a conversation tells of a call whose end raymond did not see: a client
 * outlives raymond, and writes down what it does (docs/durability.md, "How it
 * works").
 */
export interface Recollection {
  /** It holds what the call has sent. */
  readonly heard: boolean;
  /** All that was added since the run's last copy of it is gone, so what the call has sent cannot be in it. */
  readonly lost: boolean;
  /** The final message, where the client has finished; null where it was cut off. */
  readonly answer: string | null;
  readonly spend: SpendReport;
}

/** Which part of a conversation a call has added: all but these bytes, or all but the lines of another conversation. */
export type CallPart = { readonly from: number } | { readonly copyOf: SessionId };

/** Undefined: only the time of a line tells. */
export function partOf(
  { session }: Pick<Agent, "session">,
  { conversationBytes }: Running,
): CallPart | undefined {
  if (conversationBytes !== null) return { from: conversationBytes };
  switch (session.mode) {
    case "fresh":
      return { from: 0 };
    case "branch":
      return { copyOf: session.source };
    case "resume":
      return undefined;
  }
}

/** Whether the client has the prompt of a step that was in flight, so that a short note can follow it. */
export function hasTaken(running: Running, recollection: Recollection | undefined): boolean {
  if (recollection === undefined) return running.accepted;
  return recollection.heard || (running.accepted && !recollection.lost);
}

/**
 * What a step in flight has used, when raymond has died. What the client has
 * told and what its conversation holds are the same answers: the larger figure
 * of each model counts. What was told and is not in the conversation was broken
 * off, and is in no total of it. Null: nothing is known.
 */
export function usedBy(
  { spend: told }: Running,
  recollection: Recollection | undefined,
): SpendReport | null {
  if (recollection === undefined) return told;
  const { spend: found } = recollection;
  if (told === null) return isNothing(found) ? null : found;
  const broken = usesBeyond(told.unreported, [...found.reported, ...found.unreported]);
  return {
    ...found,
    version: found.version ?? told.version,
    model: found.model ?? told.model,
    tokens: addTokens(found.tokens, sumTokens(broken)),
    unreported: [...found.unreported, ...broken],
  };
}

function isNothing({ conversationMicroUsd, tokens }: SpendReport): boolean {
  return conversationMicroUsd === null && weigh(tokens) === 0;
}
