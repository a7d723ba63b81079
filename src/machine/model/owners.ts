import type { SessionId } from "./agent.ts";
import type { RunState } from "./run-state.ts";

/** Name of the coding agent that has a conversation: no other one can continue it. */
export function ownerOf(
  { owners, backend }: Pick<RunState, "owners" | "backend">,
  session: SessionId,
): string {
  return owners?.[session] ?? backend;
}

/** Records the owner of a conversation. A run with one coding agent has no owners. */
export function withOwner(run: RunState, session: SessionId | null, owner: string): RunState {
  if (session === null || ownerOf(run, session) === owner) return run;
  const { [session]: _, ...others } = run.owners ?? {};
  const owners = owner === run.backend ? others : { ...others, [session]: owner };
  return withOwners(run, owners);
}

/** Without owners the field is undefined, so that a run with one coding agent stores nothing. */
export function withOwners(run: RunState, owners: Readonly<Record<SessionId, string>>): RunState {
  return { ...run, owners: Object.keys(owners).length === 0 ? undefined : owners };
}
