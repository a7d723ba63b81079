import { isSimulated } from "../../../engine/ports/backend.ts";
import {
  type AskedQuestion,
  heldStatus,
  type LockHolder,
  type RunSummary,
} from "../../../engine/ports/store.ts";
import { waitsByBackend } from "../../../machine/backends/backend-waits.ts";
import type { RunState, RunStatus } from "../../../machine/model/run-state.ts";
import { questionsOf } from "../../../machine/moves/question.ts";
import type { Payloads } from "../../../storage/codec/payload.ts";
import { moment } from "../../../storage/codec/values.ts";

/** Columns of `raymond.runs` that `list` shows. They repeat facts of the state. */
export interface SummaryRow {
  readonly status: RunStatus;
  readonly workflow: string;
  readonly simulated: boolean;
  readonly cost_micro_usd: number;
  readonly steps: number;
  readonly agents: number;
  readonly started_at: string;
  readonly updated_at: string;
  readonly waits_until: string | null;
  /** JSON; null: no questions. */
  readonly questions: string | null;
}

/** The types of the columns. */
export const SUMMARY_TYPES: Readonly<Record<keyof SummaryRow, string>> = {
  ...{ status: "text", workflow: "text", simulated: "boolean", cost_micro_usd: "bigint" },
  ...{ steps: "bigint", agents: "integer", started_at: "text", updated_at: "text" },
  ...{ waits_until: "text", questions: "text" },
};

/** A question whose text is one of the `payloads` is stored without it. */
export function summaryRow(run: RunState, payloads: Payloads): SummaryRow {
  const questions = questionsOf(run).map(({ agent, from, number, question, options, until }) => ({
    ...{ agent, number, options, state: from },
    question: payloads.has(question) ? null : question,
    until: until === null ? null : moment.encode(until),
  }));
  const moments = run.agents.flatMap(({ activity }) =>
    activity.type === "waiting" && activity.until !== null ? activity.until : [],
  );
  const limits = waitsByBackend(run).map(({ wait }) => wait.until);
  const first = Math.min(...moments, ...limits);
  return {
    status: run.status,
    // PostgreSQL accepts no NUL and no surrogates in a text. The state has the original path.
    workflow: run.workflow.path.replaceAll(/\0|\p{Surrogate}/gu, "\ufffd"),
    simulated: isSimulated(run.backend),
    cost_micro_usd: run.totals.costMicroUsd,
    steps: run.steps,
    agents: run.agents.length,
    started_at: run.startedAt,
    updated_at: run.updatedAt,
    waits_until: run.status === "waiting" && first !== Infinity ? moment.encode(first) : null,
    questions: questions.length === 0 ? null : JSON.stringify(questions),
  };
}

export interface ListedRow extends SummaryRow {
  readonly id: string;
  readonly holder: number | null;
  /** Answered questions, each as `agent-number`. */
  readonly answered: readonly string[] | null;
}

/** Selects up to `$3` {@link ListedRow}s before the run (`$1`, `$2`), last started first, by the index of start times. */
export function listRows(columns = "", where = ""): string {
  return `
SELECT id, holder, ${Object.keys(SUMMARY_TYPES).join(", ")}${columns},
  CASE WHEN questions IS NULL THEN NULL ELSE (
    SELECT array_agg(agent || '-' || number) FROM raymond.answers a WHERE a.run = r.id
  ) END AS answered
FROM raymond.runs r
WHERE state IS NOT NULL AND (started_at, id) < (coalesce($1, '~'), coalesce($2, '~')) ${where}
ORDER BY started_at DESC, id DESC LIMIT $3`;
}

/** `living`: the holders that are alive. */
export function summaryOf(row: ListedRow, living: ReadonlyMap<number, LockHolder>): RunSummary {
  const live = row.status === "running" || row.status === "waiting";
  const holder = (live && row.holder !== null ? living.get(row.holder) : null) ?? null;
  const answered = new Set(row.answered ?? []);
  const questions = JSON.parse(row.questions ?? "[]") as readonly Omit<AskedQuestion, "answered">[];
  return {
    id: row.id,
    status: live ? heldStatus(row.status, holder) : row.status,
    holder,
    workflow: row.workflow,
    simulated: row.simulated,
    costMicroUsd: row.cost_micro_usd,
    // Reruns are not possible in a fleet.
    origin: null,
    steps: row.steps,
    agents: row.agents,
    startedAt: row.started_at,
    updatedAt: row.updated_at,
    waitsUntil: row.waits_until,
    questions: questions.map((question) => ({
      ...question,
      answered: answered.has(`${question.agent}-${String(question.number)}`),
    })),
    problem: null,
  };
}
