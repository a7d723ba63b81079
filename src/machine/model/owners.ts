import type { SessionId } from "./agent.ts";
import type { RunState } from "./run-state.ts";

/** The coding agent that has a conversation. One that the run does not know belongs to its default agent. */
export function ownerOf(
  { owners, backend }: Pick<RunState, "owners" | "backend">,
  session: SessionId,
): string {
  return owners[session] ?? backend;
}

export function withOwner(run: RunState, session: SessionId | null, owner: string): RunState {
  if (session === null || run.owners[session] === owner) return run;
  return { ...run, owners: { ...run.owners, [session]: owner } };
}
