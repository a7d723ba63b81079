import { formatDuration } from "../../core/duration.ts";
import { type Failure, failure } from "../../core/machine/failure.ts";
import type { SpendReport } from "../../core/machine/spend.ts";
import type { Reply } from "../../ports/backend.ts";
import { apiFailure } from "./api-failure.ts";
import type { CallEnding } from "./ending.ts";
import { processFailure } from "./process-failure.ts";
import { sessionFailure } from "./session-failure.ts";

/**
 * Judges a call (docs/claude.md, "What becomes of an error"). A success is a
 * `result` without error, and exit code 0 or an end by raymond that came after
 * it; a cap is a reply too. Everything else is a failure: the cause is looked
 * for in raymond's own doing, then in the client's session, in its result, and
 * last in how its process ended. Text is matched only where the client speaks
 * for itself, never in messages of the model.
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
  return { kind: "failure", session, ...outcome, ...measured };
}

function judge(ending: CallEnding): "success" | "capped" | Failure {
  const { cancelled, facts, end } = ending;
  const finished = end.exitCode === 0 || end.ended;
  if (facts.verdict !== null && !facts.verdict.isError && finished) return "success";
  if (facts.verdict?.subtype === "error_max_budget_usd") return "capped";
  if (cancelled === "budget" && facts.accepted) return "capped";
  return (
    ownFailure(ending) ?? sessionFailure(ending) ?? apiFailure(ending) ?? processFailure(ending)
  );
}

/** What raymond has ended itself. */
function ownFailure({ call, cancelled, expired }: CallEnding): Failure | null {
  if (cancelled !== null) return failure("cancelled", "The call was interrupted.");
  if (expired === null) return null;
  switch (expired.kind) {
    case "deadline":
      return failure(
        "deterministic",
        `${call.state} did not end within its timeout of ${formatDuration(expired.limitMs)} and was stopped after ${formatDuration(expired.elapsedMs)}.`,
        "Raise the timeout in its front matter, or give this state less to do.",
      );
    case "silence":
      return hung(expired.afterMs, expired.duringTool);
  }
}

function hung(afterMs: number, duringTool: boolean): Failure {
  const duration = formatDuration(afterMs);
  return duringTool
    ? failure(
        "crash",
        `A tool call was unanswered for ${duration}, and claude was ended.`,
        "Raise --tool-timeout where tools are expected to run for so long.",
      )
    : failure(
        "crash",
        `claude gave no sign of life for ${duration}, and was ended.`,
        "Raise --timeout where the model is expected to be silent for so long.",
      );
}

function spendOf({ facts, end }: CallEnding): SpendReport {
  return {
    version: facts.version === "" ? null : facts.version,
    model: facts.model,
    ...facts.spend,
    settled: !end.ended && end.exitCode !== null,
  };
}
