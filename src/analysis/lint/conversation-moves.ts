import type { OutlinedMove } from "../../language/outline/outline.ts";
import type { StateName } from "../../language/protocol/transition.ts";
import type { StateFile } from "../../language/workflow/files/state-file.ts";

/** The states that continue the conversation of the moving agent, or a branch of it. */
export function continuedStates(move: OutlinedMove): readonly StateName[] {
  const isFresh = STARTS_FRESH.has(move.by);
  return move.destinations.flatMap(({ role, state }) =>
    state === null || role === "verify" || (role === "target" && isFresh) ? [] : [state],
  );
}

/** Tags whose target starts a new conversation (docs/protocol.md, "Effects of tags"). */
const STARTS_FRESH: ReadonlySet<OutlinedMove["by"]> = new Set(["reset", "function", "fork"]);

/** The states that a move enters with a new conversation. */
export function freshStates(move: OutlinedMove): readonly StateName[] {
  if (!STARTS_FRESH.has(move.by)) return [];
  return move.destinations.flatMap(({ role, state }) =>
    state !== null && role === "target" ? [state] : [],
  );
}

/** Whether the prompt of a state is in the conversation when it makes a move. */
export function isPromptSent({ kind }: StateFile, { by }: OutlinedMove): boolean {
  // With on_context the prompt of the state itself was not sent.
  return kind === "prompt" && by !== "on_context";
}
