import type { SessionId } from "./agent.ts";
import type { Stretch } from "./outcome.ts";
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
 * How much of a conversation there was at this point. One conversation never has
 * two clients at once, so what the first later step of it has found is what was there;
 * where that was cut off with raymond, what the last earlier one has left.
 */
export function conversationCut(
  recording: Recording,
  point: RerunPoint,
  session: SessionId,
): ConversationCut {
  const flying = new Set(inFlight(point.run).map(({ activity }) => activity.process));
  const calls = startsIn(recording).filter(
    ({ agent }) => agent.activity.kind === "prompt" && agent.session.id === session,
  );
  const isLater = (step: number) => step > point.run.processes || flying.has(step);
  const later = calls.find(({ step }) => isLater(step));
  const earlier = calls.findLast(({ step }) => !isLater(step));
  const stretches = stretchesIn(recording, session);
  const found = later && stretches.get(later.step);
  if (found !== undefined) return { kind: "at", length: found.from };
  const left = earlier && stretches.get(earlier.step);
  if (left !== undefined) return { kind: "at", length: left.to };
  return later === undefined ? { kind: "whole" } : { kind: "unknown", step: later.step };
}

/** What each step has added to a conversation, as far as it was looked at, by the numbers of the steps. */
function stretchesIn({ moments }: Recording, session: SessionId): ReadonlyMap<number, Stretch> {
  const inputs = moments.flatMap((moment) => moment.inputs.map(({ input }) => input));
  return new Map(
    inputs.flatMap((input) => {
      const stretch = input.type === "ended" ? input.outcome.stretch : undefined;
      const added = input.type === "ended" && stretch?.session === session;
      return added ? [[input.process, stretch] as const] : [];
    }),
  );
}
