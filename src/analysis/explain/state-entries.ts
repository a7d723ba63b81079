import type { OutlinedMove, ReadState, Role } from "../../language/outline/outline.ts";
import { possibleMoves } from "../../language/outline/reach.ts";
import { TAG_TABLE } from "../../language/protocol/tag-table.ts";
import type { StateName, Tag } from "../../language/protocol/transition.ts";
import { stemOf } from "../../language/workflow/files/state-name.ts";
import { listed } from "../../language/workflow/quote.ts";
import { destinationAs, flowOf, workflowIn } from "../graph/flow.ts";
import type { Level } from "../graph/levels.ts";

/** How a state is entered, and what that does to the conversation, as the tag is declared. */
export interface StateEntry {
  readonly by: OutlinedMove["by"] | "on_fail";
  /** States, or the path of another workflow, in words. */
  readonly from: string;
  readonly session: string;
}

/** How each state is entered from these. */
export function stateEntries(
  states: readonly ReadState[],
  levels: readonly Level[],
): ReadonlyMap<StateName, readonly StateEntry[]> {
  const arrivals = new Map<StateName, StateEntry[]>();
  const note = (at: StateName, arrival: StateEntry): void => {
    const known = arrivals.get(at) ?? [];
    known.push(arrival);
    arrivals.set(at, known);
  };
  for (const state of states) {
    const from = stemOf(state.name);
    for (const move of possibleMoves(state)) {
      for (const { role, state: at } of move.destinations) {
        const arrival = at === null ? null : arrivalBy(move, role);
        if (at !== null && arrival !== null) note(at, { ...arrival, from });
      }
      const other = workflowIn(move);
      const back = destinationAs(move, "return")?.state ?? null;
      if (other !== null && back !== null) note(back, { ...by("result"), from: other });
    }
  }
  for (const { kind, results, returnsTo: heard } of levels) {
    if (kind !== "called" || results.size === 0) continue;
    const from = listed([...results].map(stemOf));
    for (const at of heard) note(at, { ...by("result"), from });
  }
  return arrivals;
}

/** Null where the state is not entered by this move: it is a gate, or what comes back leads there. */
function arrivalBy(move: OutlinedMove, role: Role): Omit<StateEntry, "from"> | null {
  if (role === "verify" || role === "return") return null;
  // They lead on as a goto does (docs/authoring.md, "Error handling").
  if (move.by === "on_error" || move.by === "on_context") return { ...by("goto"), by: move.by };
  if (role === "on_fail") return { ...by("goto"), by: role };
  return by(move.by, flowOf(move.by) === "start" && role === "target" ? 1 : 0);
}

function by(tag: Tag, effect: 0 | 1 = 0): { readonly by: Tag; readonly session: string } {
  const effects: readonly { readonly session: string }[] = TAG_TABLE[tag].effects;
  return { by: tag, session: effects[effect]?.session ?? "" };
}
