import type { SessionId } from "./agent.ts";
import { startsIn } from "./recorded-starts.ts";
import type { Recording } from "./recording.ts";
import type { RerunPoint } from "./rerun-point.ts";
import { inFlight } from "./roster.ts";

/** How much of a conversation there was at some point of a run. */
export type ConversationCut =
  | { readonly kind: "at"; readonly length: number }
  /** No step has added to it since. */
  | { readonly kind: "whole" }
  /** This step has, and nobody has written down where it began. */
  | { readonly kind: "unknown"; readonly step: number };

/**
 * How much of a conversation there was at this point of the record. One conversation
 * never has two clients at once, so what the first later step of it has found is what was
 * there; where that was cut off with raymond, what the last earlier one has left, if no
 * person has talked in it since.
 */
export function conversationCut(
  recording: Recording,
  point: RerunPoint,
  session: SessionId,
): ConversationCut {
  const flying = new Set(inFlight(point.run).map(({ activity }) => activity.process));
  const later = startsIn(recording).find(
    ({ step, agent }) =>
      (step > point.run.processes || flying.has(step)) &&
      agent.activity.kind === "prompt" &&
      agent.session.id === session,
  );
  const found = later && foundBy(recording, later.step, session);
  if (found !== undefined) return { kind: "at", length: found };
  const left = leftBefore(recording, point, session);
  if (left !== null) return { kind: "at", length: left };
  return later === undefined ? { kind: "whole" } : { kind: "unknown", step: later.step };
}

/** How much of it a step has found; undefined where nobody has looked. */
function foundBy(recording: Recording, step: number, session: SessionId): number | undefined {
  const added = recording.moments
    .flatMap(({ inputs }) => inputs)
    .flatMap(({ input }) => (input.type === "ended" && input.process === step ? input : []));
  const stretch = added[0]?.outcome.stretch;
  return stretch?.session === session ? stretch.from : undefined;
}

/** What was there when somebody was in it for the last time before this point; null where nobody has looked. */
function leftBefore(recording: Recording, point: RerunPoint, session: SessionId): number | null {
  let left: number | null = null;
  for (const { input, before } of recording.moments.flatMap(({ inputs }) => inputs)) {
    if (before === point.run) break;
    if (input.type === "handed-back" && input.said?.session === session) left = null;
    if (input.type !== "ended") continue;
    const { stretch } = input.outcome;
    if (stretch?.session === session) left = stretch.to;
  }
  return left;
}
