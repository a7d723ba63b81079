import type { Running } from "./activity.ts";
import type { Agent, SessionId } from "./agent.ts";
import type { Denial } from "./denial.ts";
import { addTokens, type SpendReport, subtractUses, sumTokens, weightedTokens } from "./spend.ts";

/** A call whose end raymond did not observe, recovered from its conversation (docs/durability.md, "How it works"). */
export interface RecoveredSession {
  /** The conversation contains the prompt. */
  readonly hasPrompt: boolean;
  /** The conversation lost everything since the last copy of the run. */
  readonly lost: boolean;
  /** The final message; null: cut off. */
  readonly answer: string | null;
  /** Denied tool calls; absent: none. */
  readonly denials?: readonly Denial[];
  readonly spend: SpendReport;
}

/** The part of a conversation that a call added: from an offset, or all lines that are not in another conversation. */
export type CallPart = { readonly from: number } | { readonly copyOf: SessionId };

/** Undefined: determined by the times of lines only. */
export function callPartOf(
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

/** Whether the client accepted the prompt of an interrupted step. */
export function hasAcceptedPrompt(
  running: Running,
  recollection: RecoveredSession | undefined,
): boolean {
  if (recollection === undefined) return running.accepted;
  return recollection.hasPrompt || (running.accepted && !recollection.lost);
}

/**
 * The usage of a step that died with raymond; null: unknown. Reported usage and the conversation
 * describe the same answers, so per model the larger figure counts. Usage that is not in the
 * conversation was cut off and is in none of its totals.
 */
export function recoveredSpend(
  { spend: reported }: Running,
  recollection: RecoveredSession | undefined,
): SpendReport | null {
  if (recollection === undefined) return reported;
  const { spend: found } = recollection;
  if (reported === null) return isNothing(found) ? null : found;
  const broken = subtractUses(reported.unreported, [...found.reported, ...found.unreported]);
  return {
    ...found,
    version: found.version ?? reported.version,
    model: found.model ?? reported.model,
    tokens: addTokens(found.tokens, sumTokens(broken)),
    unreported: [...found.unreported, ...broken],
  };
}

function isNothing({ conversationMicroUsd, tokens }: SpendReport): boolean {
  return conversationMicroUsd === null && weightedTokens(tokens) === 0;
}
