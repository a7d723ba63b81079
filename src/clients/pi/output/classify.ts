import type { Reply } from "../../../engine/ports/backend.ts";
import { readElements } from "../../../language/protocol/output-elements.ts";
import { readReply } from "../../../language/protocol/reply.ts";
import type { Failure } from "../../../machine/model/failure.ts";
import { failureOf } from "../../common/answer-end.ts";
import { ownFailure } from "../../common/own-failure.ts";
import { replyOf } from "../../common/reply.ts";
import type { PiEnding } from "../facts.ts";
import { apiFailure } from "./api-failure.ts";
import { processFailure } from "./process-failure.ts";

/**
 * Classifies the end of a call (docs/pi.md, "Errors"). Success is an end that the client has reported after an answer
 * without error. The exit code is 0 after errors of the API as well, so it is never sufficient. Only text of the client is
 * matched, never text of the model.
 */
export function classify(ending: PiEnding): Reply {
  const { model, spend } = ending.facts;
  const usage = { version: null, model, conversationMicroUsd: null, ...spend };
  return replyOf(ending, judge(ending), usage);
}

function judge(ending: PiEnding): "success" | "capped" | Failure {
  const { cancelled, facts, end } = ending;
  const finished = facts.settled && (end.exitCode === 0 || end.endedByRaymond);
  if (finished && facts.verdict !== null && facts.verdict.error === null) {
    const isCut =
      facts.verdict.stopReason === "length" && !readElements(readReply(facts.text ?? "")).ok;
    return isCut ? failureOf("output-limit", "the stop reason is length") : "success";
  }
  if (cancelled === "budget" && facts.accepted) return "capped";
  return ownFailure(ending, "pi") ?? apiFailure(ending) ?? processFailure(ending);
}
