import type { Reply } from "../../../engine/ports/backend.ts";
import { counted } from "../../../language/basics/counted.ts";
import { formatDuration } from "../../../language/basics/duration.ts";
import { type Failure, failure } from "../../../machine/model/failure.ts";
import { clause, permanent } from "../../common/ending.ts";
import { ownFailure } from "../../common/own-failure.ts";
import { replyOf } from "../../common/reply.ts";
import type { ClaudeEnding } from "../facts.ts";
import { apiFailure } from "./api-failure.ts";
import { processFailure, sessionFailure } from "./process-failure.ts";

/**
 * Classifies the end of a call (docs/claude.md, "Errors"). Success is a `result` without error, and exit code 0 or a
 * later termination by raymond. A budget cap is a reply too. Everything else is a failure, with the cause from, in this
 * order: raymond itself, the session, the result, the exit of the process. Only text of the client is matched, never text
 * of the model.
 */
export function classify(ending: ClaudeEnding): Reply {
  const { version, model, spend } = ending.facts;
  const usage = { version: version === "" ? null : version, model, ...spend };
  return replyOf(ending, judge(ending), usage);
}

function judge(ending: ClaudeEnding): "success" | "capped" | Failure {
  const { cancelled, facts, end } = ending;
  // The user stopped the client while it waited for background work: the step continues later.
  const isWaiting = cancelled === "stop" && (facts.endedWork ?? []).length > 0;
  const finished = (end.exitCode === 0 || end.endedByRaymond) && !isWaiting;
  const blocked = serverFailure(ending) ?? hookFailure(ending);
  if (blocked !== null) return blocked;
  if (facts.verdict !== null && !facts.verdict.isError && finished) return "success";
  if (facts.verdict?.subtype === "error_max_budget_usd") return "capped";
  if (cancelled === "budget" && facts.accepted) return "capped";
  return (
    startTimeout(ending) ??
    ownFailure(ending, "claude") ??
    turnsFailure(ending) ??
    sessionFailure(ending) ??
    apiFailure(ending) ??
    processFailure(ending)
  );
}

/** raymond ended the client before its first request. */
function serverFailure({ call, facts: { unconnected } }: ClaudeEnding): Failure | null {
  if (unconnected === undefined) return null;
  const { name, status } = unconnected;
  return permanent(
    `The MCP server ${name} of ${call.state} is not connected (${clause(status)}).`,
    status === "pending"
      ? "It was still starting when the prompt was due. Make it start faster. Check with: claude mcp list"
      : "Check with: claude mcp list. A server in the .mcp.json of the project starts only if the project is trusted.",
  );
}

/** A hook stopped the turn before the model was called. */
function hookFailure({ call, facts }: ClaudeEnding): Failure | null {
  if (facts.stoppedByHook === undefined || facts.text !== null || facts.verdict === null)
    return null;
  return permanent(
    `A hook of claude blocked the prompt of ${call.state}: ${clause(facts.stoppedByHook)}.`,
    "Change the prompt, or the UserPromptSubmit hooks in the settings of claude.",
  );
}

/** The client was silent before its first `init` event. */
function startTimeout({ cancelled, expired, facts }: ClaudeEnding): Failure | null {
  if (cancelled !== null || expired?.kind !== "silence" || expired.duringTool) return null;
  if (facts.version !== null) return null;
  return failure(
    "crash",
    `claude printed nothing for ${formatDuration(expired.afterMs)} and was terminated before the prompt.`,
    "A SessionStart hook or an MCP server in the settings of claude may hang. Check with: claude -p hello",
  );
}

/** A retry would reach the limit as well. */
function turnsFailure({ call, facts: { verdict } }: ClaudeEnding): Failure | null {
  if (verdict?.subtype !== "error_max_turns") return null;
  const limit = call.maxTurns === null ? "the client's limit" : counted(call.maxTurns, "turn");
  return permanent(
    `${call.state} has reached its max_turns: ${limit}.`,
    "Increase max_turns in its front matter, or with --max-turns, or split the state.",
  );
}
