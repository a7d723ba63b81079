import { TOP } from "../../language/basics/place.ts";
import type { StateName } from "../../language/protocol/transition.ts";
import type { FileProblem } from "../../language/workflow/files/state-file.ts";
import { type Agent, conversationOf } from "../model/agent.ts";
import { ownerOf } from "../model/owners.ts";
import type { RunState } from "../model/run-state.ts";
import { isSimulated } from "./simulation.ts";

/**
 * Why a state cannot continue the conversation of an agent: `named`, the coding agents that it names,
 * do not have it. Null if it can. A state that names none continues any conversation.
 */
export function ownerProblem(
  run: RunState,
  { session }: Pick<Agent, "session">,
  state: StateName,
  named: readonly string[] | null,
): FileProblem | null {
  const conversation = conversationOf(session);
  if (conversation === null || named === null || isSimulated(run.backend)) return null;
  const owner = ownerOf(run, conversation);
  if (named.includes(owner)) return null;
  return { at: TOP, ...otherOwner(state, named, [owner]) };
}

/** The problem of a state that is entered in a conversation of other coding agents. */
export function otherOwner(
  state: StateName,
  named: readonly string[],
  owners: readonly string[],
): Pick<FileProblem, "message" | "hint"> {
  const has = owners.join(" or ");
  return {
    message: `${state} names the coding agent ${named.join(" or ")}, but continues a conversation of ${has}, which only ${has} can continue.`,
    hint: "Enter the state with <reset>, <function> or <fork>, which start a new conversation, or name the same coding agent in both states.",
  };
}
