import { isSimulated } from "../../engine/ports/backend.ts";
import { toUsd } from "../../language/basics/money.ts";
import { isoOf } from "../../log/codec/json-codec.ts";
import type { LoggedQuestion } from "../../log/logged-questions.ts";
import { encodeRun, encodeSums } from "../../storage/codec/state-document.ts";
import type { RunReport } from "../run-report.ts";
import { agentJson, commandJson, isoOrNull, shownSettings } from "./report-json.ts";
import { stepJson } from "./step-json.ts";

/** Output of `raymond report --json` (docs/cli.md). */
export function runReportJson(report: RunReport): object {
  const { why, at, picture, steps, running, leftOut } = report;
  const { run, status, holder, stoppedAt, workedMs } = why.report;
  const { workflow_id, workflow, launch_dir, started_at, stop_reason, results } = encodeRun(run);
  const { total_cost_usd, totals, origin = null } = encodeRun(run);
  return {
    ...{ workflow_id, workflow, launch_dir, status, simulated: isSimulated(run.backend) },
    written_at: isoOf(at),
    in_progress: holder !== null,
    started_at,
    stopped_at: isoOrNull(stoppedAt),
    worked_s: workedMs === null ? null : workedMs / 1_000,
    ...{ reason: stop_reason, next: why.next, results, origin, total_cost_usd, totals },
    budget_usd: run.settings.budgetMicroUsd === null ? null : toUsd(run.settings.budgetMicroUsd),
    costs: Object.fromEntries(
      report.costs.map(({ noun, rows }) => [
        noun === "coding agent" ? "backends" : `${noun}s`,
        rows.map(({ name, sums }) => ({ name, ...encodeSums(sums) })),
      ]),
    ),
    agents: why.report.agents.map((agent) => agentJson(agent, why.report)),
    commands: why.report.history?.commands.map(commandJson) ?? null,
    questions: report.questions.map(questionJson),
    failures: report.failures.map(({ at: ms, ...failure }) => ({ at: isoOf(ms), ...failure })),
    changes: report.changes,
    steps: steps.map((step) => stepJson(step, running.has(step.started.event.process))),
    steps_left_out: leftOut,
    settings: shownSettings(run),
    graph: picture && { title: picture.title, ...picture.graph },
  };
}

function questionJson({ askedAt, end, ...question }: LoggedQuestion): object {
  const answer = end.kind === "answered" ? { answer: end.answer, by: end.by } : {};
  return {
    ...question,
    asked_at: isoOf(askedAt),
    end: end.kind,
    ended_at: end.kind === "open" ? null : isoOf(end.at),
    ...answer,
  };
}
