import type { InFlight } from "./agent.ts";
import type { SpendReport, Tokens } from "./spend.ts";

/**
 * What a conversation tells of a call whose end raymond did not see: a client
 * outlives raymond, and writes down what it does (docs/claude.md,
 * "Conversations are kept").
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

/** Whether the client has the prompt of a step that was in flight, so that a short note can follow it. */
export function hasTaken(inFlight: InFlight, recollection: Recollection | undefined): boolean {
  if (recollection === undefined) return inFlight.accepted;
  return recollection.heard || (inFlight.accepted && !recollection.lost);
}

/**
 * What a step in flight has used, when raymond has died. What it was told, and
 * what the conversation tells, are the same answers: the larger figure of each
 * counts. Null: nothing is known.
 */
export function usedBy(
  { spend: told }: InFlight,
  recollection: Recollection | undefined,
): SpendReport | null {
  if (recollection === undefined) return told;
  const { spend: found } = recollection;
  if (told === null) return isNothing(found) ? null : found;
  return {
    ...found,
    clientVersion: found.clientVersion ?? told.clientVersion,
    model: found.model ?? told.model,
    tokens: larger(found.tokens, told.tokens),
  };
}

function isNothing({ totalMicroUsd, tokens }: SpendReport): boolean {
  return totalMicroUsd === null && Object.values(tokens).every((count) => count === 0);
}

function larger(a: Tokens, b: Tokens): Tokens {
  return {
    input: Math.max(a.input, b.input),
    output: Math.max(a.output, b.output),
    cacheRead: Math.max(a.cacheRead, b.cacheRead),
    cacheWrite: Math.max(a.cacheWrite, b.cacheWrite),
  };
}
