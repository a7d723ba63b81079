import type { Reply } from "../../engine/ports/backend.ts";
import type { SessionId } from "../../machine/model/agent.ts";
import type { Denial } from "../../machine/model/denial.ts";
import type { Failure } from "../../machine/model/failure.ts";
import type { SpendReport } from "../../machine/model/spend.ts";
import type { CallEnding } from "./ending.ts";

/** The facts of the output that every client provides. */
export interface ReplyFacts {
  /** Null if the client has not named it. */
  readonly session: SessionId | null;
  /** The client has stored the prompt in the conversation. */
  readonly accepted: boolean;
  /** The final message; null without any text of the model. */
  readonly text: string | null;
  readonly denials: readonly Denial[];
  /** Background work that was pending when the client ended, in words. */
  readonly endedWork?: readonly string[];
}

/** The reply of a call after it was judged. `capped`: the budget is used up. `spend`: its total usage. */
export function replyOf(
  { call, end, facts }: CallEnding<ReplyFacts>,
  outcome: "success" | "capped" | Failure,
  spend: Omit<SpendReport, "settled">,
): Reply {
  const { accepted, denials, text, endedWork = [] } = facts;
  const session = facts.session ?? call.session.id;
  const settled = !end.endedByRaymond && end.exitCode !== null;
  const measured = { spend: { ...spend, settled }, exitCode: end.exitCode, denials };
  if (outcome !== "success" && outcome !== "capped") {
    return { kind: "failure", session: accepted ? session : null, ...outcome, ...measured };
  }
  const capped = outcome === "capped";
  const ended = endedWork.length === 0 ? {} : { endedWork };
  return { kind: "reply", text, session: session ?? "", capped, ...ended, ...measured };
}
