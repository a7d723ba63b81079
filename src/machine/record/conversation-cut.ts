import type { SessionId } from "../model/agent.ts";
import { inFlight } from "../model/roster.ts";
import type { Recording } from "./recording.ts";
import { type RerunPoint, startsIn } from "./rerun-point.ts";

/** The length of a conversation at some point of a run. */
export type ConversationCut =
  | { readonly kind: "at"; readonly length: number }
  /** Unchanged since. */
  | { readonly kind: "whole" }
  /** A later step changed it at an unknown position. */
  | { readonly kind: "unknown"; readonly step: number };

/**
 * The length of a conversation at this point of the recording. A conversation has only one client at a
 * time, so this is the length that the next step found, or the last one left, unless a manual session
 * followed.
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

/** The length that a step found; undefined if unknown. */
function foundBy(recording: Recording, step: number, session: SessionId): number | undefined {
  const end = recording.moments
    .flatMap(({ inputs }) => inputs)
    .find(({ input }) => input.type === "ended" && input.process === step)?.input;
  const stretch = end?.type === "ended" ? end.outcome.stretch : undefined;
  return stretch?.session === session ? stretch.from : undefined;
}

/** The length after the last earlier step; null if unknown. */
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
