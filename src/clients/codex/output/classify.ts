import type { Reply } from "../../../engine/ports/backend.ts";
import type { SpendReport } from "../../../machine/spend/spend.ts";
import type { Failure } from "../../../machine/step/failure.ts";
import { ownFailure } from "../../common/own-failure.ts";
import type { CodexEnding } from "../facts.ts";
import { apiFailure } from "./api-failure.ts";
import { processFailure } from "./process-failure.ts";

/**
 * Classifies the end of a call (docs/codex.md, "Errors"). Success is `turn.completed`, and exit code 0 or a later
 * termination by raymond. A used-up budget is a reply too. Everything else is a failure, with the cause from, in this order:
 * raymond itself, the failed turn, the exit of the process. Only text of the client is matched, never text of the model.
 */
export function classify(ending: CodexEnding): Reply {
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

function judge(ending: CodexEnding): "success" | "capped" | Failure {
  const { cancelled, facts, end } = ending;
  const finished = end.exitCode === 0 || end.endedByRaymond;
  if (facts.verdict?.kind === "completed" && finished) return "success";
  if (cancelled === "budget" && facts.accepted) return "capped";
  return ownFailure(ending, "codex") ?? apiFailure(ending) ?? processFailure(ending);
}

function spendOf({ facts, end }: CodexEnding): SpendReport {
  return { ...facts.spend, settled: !end.endedByRaymond && end.exitCode !== null };
}
