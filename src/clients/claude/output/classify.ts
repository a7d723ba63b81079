import type { Reply } from "../../../engine/ports/backend.ts";
import { counted } from "../../../language/basics/counted.ts";
import { formatDuration } from "../../../language/basics/duration.ts";
import type { SpendReport } from "../../../machine/spend/spend.ts";
import { type Failure, failure } from "../../../machine/step/failure.ts";
import { apiFailure } from "./api-failure.ts";
import { type CallEnding, permanent } from "./ending.ts";
import { processFailure, sessionFailure } from "./process-failure.ts";

/**
 * Classifies the end of a call (docs/claude.md, "Errors"). Success is a `result` without error, and exit code 0 or a
 * later termination by raymond. A budget cap is a reply too. Everything else is a failure, with the cause from, in this
 * order: raymond itself, the session, the result, the exit of the process. Only text of the client is matched, never text
 * of the model.
 */
export function classify(ending: CallEnding): Reply {
  const { call, end, facts } = ending;
  const measured = { spend: spendOf(ending), exitCode: end.exitCode };
  const outcome = judge(ending);
  if (outcome === "success" || outcome === "capped") {
    return {
      kind: "reply",
      text: facts.text,
      session: facts.session ?? call.session.id ?? "",
      capped: outcome === "capped",
      denials: facts.denials,
      ...measured,
    };
  }
  const session = facts.accepted ? (facts.session ?? call.session.id) : null;
  return { kind: "failure", session, ...outcome, ...measured, denials: facts.denials };
}

function judge(ending: CallEnding): "success" | "capped" | Failure {
  const { cancelled, facts, end } = ending;
  const finished = end.exitCode === 0 || end.endedByRaymond;
  if (facts.verdict !== null && !facts.verdict.isError && finished) return "success";
  if (facts.verdict?.subtype === "error_max_budget_usd") return "capped";
  if (cancelled === "budget" && facts.accepted) return "capped";
  return (
    ownFailure(ending) ??
    turnsFailure(ending) ??
    sessionFailure(ending) ??
    apiFailure(ending) ??
    processFailure(ending)
  );
}

/** Calls that raymond terminated. */
function ownFailure({ call, cancelled, expired }: CallEnding): Failure | null {
  if (cancelled !== null) return failure("cancelled", "The call was interrupted.");
  if (expired === null) return null;
  switch (expired.kind) {
    case "deadline":
      return permanent(
        `${call.state} exceeded its timeout of ${formatDuration(expired.limitMs)} and was stopped after ${formatDuration(expired.elapsedMs)}.`,
        "Increase the timeout in its front matter, or split the state.",
      );
    case "silence":
      return hung(expired.afterMs, expired.duringTool);
  }
}

/** A retry would reach the limit as well. */
function turnsFailure({ call, facts: { verdict } }: CallEnding): Failure | null {
  if (verdict?.subtype !== "error_max_turns") return null;
  const limit = call.maxTurns === null ? "the client's limit" : counted(call.maxTurns, "turn");
  return permanent(
    `${call.state} has reached its max_turns: ${limit}.`,
    "Increase max_turns in its front matter, or with --max-turns, or split the state.",
  );
}

function hung(afterMs: number, duringTool: boolean): Failure {
  const duration = formatDuration(afterMs);
  return duringTool
    ? failure(
        "crash",
        `A tool call took longer than ${duration}, so claude was terminated.`,
        "If tools need more time, increase --tool-timeout.",
      )
    : failure(
        "crash",
        `claude printed nothing for ${duration} and was terminated.`,
        "If the model needs more time, increase --timeout.",
      );
}

function spendOf({ facts, end }: CallEnding): SpendReport {
  return {
    version: facts.version === "" ? null : facts.version,
    model: facts.model,
    ...facts.spend,
    settled: !end.endedByRaymond && end.exitCode !== null,
  };
}
