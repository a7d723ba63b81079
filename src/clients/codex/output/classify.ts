import type { Reply } from "../../../engine/ports/backend.ts";
import type { Failure } from "../../../machine/model/failure.ts";
import { ownFailure } from "../../common/own-failure.ts";
import { replyOf } from "../../common/reply.ts";
import type { CodexEnding } from "../facts.ts";
import { apiFailure } from "./api-failure.ts";
import { processFailure } from "./process-failure.ts";

/**
 * Classifies the end of a call (docs/codex.md, "Errors"). Success is `turn.completed`, and exit code 0 or a later
 * termination by raymond. A used-up budget is a reply too. Everything else is a failure, with the cause from, in this order:
 * raymond itself, the failed turn, the exit of the process. Only text of the client is matched, never text of the model.
 */
export function classify(ending: CodexEnding): Reply {
  return replyOf(ending, judge(ending), ending.facts.spend);
}

function judge(ending: CodexEnding): "success" | "capped" | Failure {
  const { cancelled, facts, end } = ending;
  const finished = end.exitCode === 0 || end.endedByRaymond;
  if (facts.verdict?.kind === "completed" && finished) return "success";
  if (cancelled === "budget" && facts.accepted) return "capped";
  return ownFailure(ending, "codex") ?? apiFailure(ending) ?? processFailure(ending);
}
