import type { SessionId } from "../model/agent.ts";
import type { RunState } from "../model/run-state.ts";
import { sessionsOf } from "../spend/baselines.ts";
import type { JournalRecord } from "./journal.ts";

export interface UpdatedConversation {
  readonly session: SessionId;
  /** Its length (`Stretch`); null: unknown, use all of it. */
  readonly length: number | null;
  /** The folder of its next call. */
  readonly cwd: string;
}

/** Conversations that a run may continue, with the folder of the next call. */
export function conversationsOf(run: RunState): ReadonlyMap<SessionId, string> {
  const found = new Map<SessionId, string>();
  for (const agent of run.agents) {
    for (const session of sessionsOf(agent)) {
      if (!found.has(session)) found.set(session, agent.cwd ?? run.launchDir);
    }
  }
  return found;
}

/** Conversations that changed with the inputs of a save. `run`: the saved state. */
export function updatedConversations(
  { inputs }: Pick<JournalRecord, "inputs">,
  run: RunState,
): readonly UpdatedConversation[] {
  const updated = new Map<SessionId, number | null>();
  let resumed = false;
  for (const input of inputs) {
    // A client that outlived raymond may have changed any conversation.
    if (input.type === "resumed") resumed = true;
    if (input.type === "handed-back" && input.said !== null) updated.set(input.said.session, null);
    if (input.type !== "ended") continue;
    const { session, stretch } = input.outcome;
    if (session !== null) updated.set(session, null);
    if (stretch !== undefined) updated.set(stretch.session, stretch.to);
  }
  if (!resumed && updated.size === 0) return [];
  return [...conversationsOf(run)].flatMap(([session, cwd]) => {
    const length = updated.get(session);
    return resumed || length !== undefined ? { session, length: length ?? null, cwd } : [];
  });
}
