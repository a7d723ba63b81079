import { localMoment } from "../console/local-time.ts";
import { resumeAdvice } from "../console/summary.ts";
import type { RunSummary } from "../engine/ports/store.ts";
import type { RunId, RunState, StopReason } from "../machine/model/run-state.ts";
import { questionsOf } from "../machine/moves/question.ts";
import { isDue, nextWakeTime } from "../machine/steps/plan.ts";
import type { Caller } from "../wire/caller.ts";
import { programName } from "../wire/program-name.ts";
import type { RunSource } from "../wire/run-source.ts";
import { type Place, runsOf } from "../wire/stores.ts";

/** Unfinished runs that no process drives, last started first. */
export interface StoppedRuns {
  /** Runs to resume now. */
  readonly due: readonly RunId[];
  readonly others: readonly NotDue[];
}

export interface NotDue {
  readonly id: RunId;
  /** As a sentence. */
  readonly reason: string;
  /** The command that resumes it; null: it is resumed when it is due. */
  readonly next: string | null;
}

/** Runs are due that crashed, and those that stopped to wait for a time or an answer that has come. */
export async function dueRuns(place: Place, caller: Caller): Promise<StoppedRuns> {
  const { store } = await runsOf(place, caller);
  const due: RunId[] = [];
  const others: NotDue[] = [];
  for (const { id, status } of await store.list()) {
    if (!STOPPED.has(status)) continue;
    // A run that is unreadable, gone or complete by now is not due.
    const run = await store.load(id).catch(() => undefined);
    if (run === undefined || run.status === "completed") continue;
    const reason = await whyNotDue(run, store, caller.now());
    const isCopy = store.place?.(id).kind === "copy";
    if (isCopy) others.push({ id, reason: COPIED, next: resumeAdvice(run, programName(place)) });
    else if (reason === null) due.push(id);
    else {
      const waits = stoppedToWait(run) && questionsOf(run).length === 0;
      const next = waits ? null : resumeAdvice(run, programName(place));
      others.push({ id, reason, next });
    }
  }
  return { due, others };
}

const COPIED = "Its files are a copy of those of another state directory.";

/** The ids of all unfinished runs that no process drives. */
export async function stoppedRuns(place: Place, caller: Caller): Promise<readonly RunId[]> {
  const { store } = await runsOf(place, caller);
  return (await store.list()).flatMap(({ id, status }) => (STOPPED.has(status) ? id : []));
}

const STOPPED: ReadonlySet<RunSummary["status"]> = new Set([
  ...(["paused", "crashed", "interrupted", "budget_exceeded", "failed"] as const),
]);

const WAITS: readonly (StopReason["class"] | undefined)[] = ["parked", "limit", "question"];

function stoppedToWait({ status, stopReason }: RunState): boolean {
  return (status === "waiting" && stopReason === null) || WAITS.includes(stopReason?.class);
}

/** As a sentence; null: it is due. */
async function whyNotDue(run: RunState, store: RunSource, now: number): Promise<string | null> {
  const { status, stopReason } = run;
  const crashed = status === "running" && stopReason?.class !== "interrupted";
  if (crashed) return null;
  if (!stoppedToWait(run)) return stopReason?.message ?? "It was stopped.";
  if (isDue(run, now) || (await isAnswered(run, store))) return null;
  const until = nextWakeTime({ ...run, status: "running", stopReason: null }, now);
  return until === null ? "It waits for an answer." : `It waits until ${localMoment(until, now)}.`;
}

async function isAnswered(run: RunState, store: RunSource): Promise<boolean> {
  const answers = await store.answers(run.id);
  const found = await Promise.all(questionsOf(run).map((asked) => answers.find(asked)));
  return found.some((given) => given?.kind === "answer");
}
