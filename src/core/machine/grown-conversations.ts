import type { SessionId } from "./agent.ts";
import { sessionsOf } from "./baselines.ts";
import type { JournalRecord } from "./journal.ts";
import type { RunState } from "./run-state.ts";

/** A conversation to which something was added. */
export interface GrownConversation {
  readonly session: SessionId;
  /** How much of it there is now (`Stretch`); null: nobody has looked, and all that there is counts. */
  readonly length: number | null;
  /** The folder in which its next call will be made. */
  readonly cwd: string;
}

/** Every conversation that a run may come back to, and the folder of its next call. */
export function conversationsOf(run: RunState): ReadonlyMap<SessionId, string> {
  const found = new Map<SessionId, string>();
  for (const agent of run.agents) {
    for (const session of sessionsOf(agent)) {
      if (!found.has(session)) found.set(session, agent.cwd ?? run.launchDir);
    }
  }
  return found;
}

/** The conversations on which a save builds, and no earlier one did: by what it was made of. `run`: as it is saved. */
export function grownConversations(
  { inputs }: Pick<JournalRecord, "inputs">,
  run: RunState,
): readonly GrownConversation[] {
  const grown = new Map<SessionId, number | null>();
  let resumed = false;
  for (const input of inputs) {
    // What a client has written that outlived its raymond is in no stretch.
    if (input.type === "resumed") resumed = true;
    if (input.type === "handed-back" && input.said !== null) grown.set(input.said.session, null);
    if (input.type !== "ended") continue;
    const { session, stretch } = input.outcome;
    if (session !== null) grown.set(session, null);
    if (stretch !== undefined) grown.set(stretch.session, stretch.to);
  }
  if (!resumed && grown.size === 0) return [];
  return [...conversationsOf(run)].flatMap(([session, cwd]) => {
    const length = grown.get(session);
    return resumed || length !== undefined ? { session, length: length ?? null, cwd } : [];
  });
}
