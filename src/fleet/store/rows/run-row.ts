import { isSimulated } from "../../../engine/ports/backend.ts";
import {
  type AskedQuestion,
  heldStatus,
  type LockHolder,
  type RunSummary,
} from "../../../engine/ports/store.ts";
import { questionsOf } from "../../../machine/move/question.ts";
import type { RunState, RunStatus } from "../../../machine/run-state.ts";
import type { Payloads } from "../../../storage/codec/payload.ts";
import { moment } from "../../../storage/codec/values.ts";

/** What the row of a run has beside its state: that which `list` shows. */
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
  /** JSON; null: it asks nothing. */
  readonly questions: string | null;
}

/** The columns of {@link SummaryRow}. */
export const SUMMARY_COLUMNS = [
  ...["status", "workflow", "simulated", "cost_micro_usd", "steps", "agents"],
  ...["started_at", "updated_at", "waits_until", "questions"],
] as readonly (keyof SummaryRow)[];

/** The row of a run; a question of its `payloads` is too long for it. */
export function summaryRow(run: RunState, payloads: Payloads): SummaryRow {
  const asked = questionsOf(run).map(({ agent, from, number, question, options, until }) => ({
    ...{ agent, number, options, state: from },
    question: payloads.has(question) ? null : question,
    until: until === null ? null : moment.encode(until),
  }));
  const moments = run.agents.flatMap(({ activity }) =>
    activity.type === "waiting" && activity.until !== null ? activity.until : [],
  );
  const first = Math.min(...moments, run.wait?.until ?? Infinity);
  return {
    status: run.status,
    // No path has these, and no text of PostgreSQL may: the state has it as it is.
    workflow: run.workflow.path.replaceAll(/\0|\p{Surrogate}/gu, "\ufffd"),
    simulated: isSimulated(run.backend),
    cost_micro_usd: run.totals.costMicroUsd,
    steps: run.steps,
    agents: run.agents.length,
    started_at: run.startedAt,
    updated_at: run.updatedAt,
    waits_until: run.status === "waiting" && first !== Infinity ? moment.encode(first) : null,
    questions: asked.length === 0 ? null : JSON.stringify(asked),
  };
}

/** What `list` asks of a run. */
export interface ListedRow extends SummaryRow {
  readonly id: string;
  readonly holder: number | null;
  /** Of its questions those that have an answer, each `agent-number`. */
  readonly answered: readonly string[] | null;
}

/** A run as `list` shows it; `living`: the holders that live. */
export function summaryOf(row: ListedRow, living: ReadonlyMap<number, LockHolder>): RunSummary {
  const live = row.status === "running" || row.status === "waiting";
  const holder = (live && row.holder !== null ? living.get(row.holder) : null) ?? null;
  const answered = new Set(row.answered ?? []);
  return {
    id: row.id,
    status: live ? heldStatus(row.status, holder) : row.status,
    holder,
    workflow: row.workflow,
    simulated: row.simulated,
    costMicroUsd: row.cost_micro_usd,
    // A rerun is made of files: none is kept here.
    origin: null,
    steps: row.steps,
    agents: row.agents,
    startedAt: row.started_at,
    updatedAt: row.updated_at,
    waitsUntil: row.waits_until,
    questions: readQuestions(row.questions).map((question) => ({
      ...question,
      answered: answered.has(`${question.agent}-${String(question.number)}`),
    })),
    problem: null,
  };
}

/** What {@link summaryRow} has written. */
function readQuestions(json: string | null): readonly Omit<AskedQuestion, "answered">[] {
  return json === null ? [] : (JSON.parse(json) as readonly AskedQuestion[]);
}
