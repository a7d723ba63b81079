import {
  type OutlinedMove,
  possibleMoves,
  type ReadState,
  type Role,
  writtenPath,
} from "../../language/outline/outline.ts";
import { TAG_TABLE } from "../../language/protocol/tag-table.ts";
import type { StateName, Tag } from "../../language/protocol/transition.ts";
import { stemOf } from "../../language/workflow/files/state-name.ts";
import { listed } from "../../language/workflow/quote.ts";
import type { Level } from "../graph/levels.ts";
import { isFork, stateOf } from "../moves.ts";

/** A way to enter a state, with its effect on the conversation. */
export interface StateEntry {
  readonly by: OutlinedMove["by"] | "on_fail";
  /** Names of states, or the path of another workflow. */
  readonly from: string;
  readonly session: string;
}

/** All entries into each state from these states. */
export function stateEntries(
  states: readonly ReadState[],
  levels: readonly Level[],
): ReadonlyMap<StateName, readonly StateEntry[]> {
  const entries = new Map<StateName, StateEntry[]>();
  const add = (to: StateName, entry: StateEntry): void => {
    entries.set(to, [...(entries.get(to) ?? []), entry]);
  };
  for (const state of states) {
    const from = stemOf(state.name);
    for (const move of possibleMoves(state)) {
      for (const { role, state: to } of move.destinations) {
        const entry = entryBy(move, role);
        if (to !== null && entry !== null) add(to, { ...entry, from });
      }
      const other = writtenPath(move);
      const back = stateOf(move, "return");
      if (other !== null && back !== null) add(back, { ...byTag("result"), from: other });
    }
  }
  for (const { kind, results, returnsTo } of levels) {
    if (kind !== "called" || results.size === 0) continue;
    const from = listed([...results].map(stemOf));
    for (const to of returnsTo) add(to, { ...byTag("result"), from });
  }
  return entries;
}

/** Null if the state is a gate, or a result enters it. */
function entryBy(move: OutlinedMove, role: Role): Omit<StateEntry, "from"> | null {
  if (role === "verify" || role === "return") return null;
  // The conversation continues as after a goto (docs/authoring.md, "Error handling").
  if (move.by === "on_error" || move.by === "on_context") {
    return { ...byTag("goto"), by: move.by };
  }
  if (role === "on_fail") return { ...byTag("goto"), by: role };
  return byTag(move.by, isFork(move) && role === "target" ? 1 : 0);
}

function byTag(tag: Tag, effect: 0 | 1 = 0): { readonly by: Tag; readonly session: string } {
  const effects: readonly { readonly session: string }[] = TAG_TABLE[tag].effects;
  return { by: tag, session: effects[effect]?.session ?? "" };
}
