import type { RunSummary } from "../engine/ports/store.ts";
import type { RunId, RunState, StopReason } from "../machine/model/run-state.ts";
import { questionsOf } from "../machine/moves/question.ts";
import { isDue } from "../machine/steps/plan.ts";
import type { Caller } from "../wire/caller.ts";
import type { RunSource } from "../wire/run-source.ts";
import { type Place, runsOf } from "../wire/stores.ts";

/** The runs that stopped or crashed while waiting for a time or an answer, and whose wait is over. */
export async function dueRuns(place: Place, caller: Caller): Promise<readonly RunId[]> {
  const { store } = await runsOf(place, caller);
  const due: RunId[] = [];
  for (const { id, status } of await store.list()) {
    if (!MAY_WAIT.has(status)) continue;
    // A run that is unreadable or gone by now is not due.
    const run = await store.load(id).catch(() => undefined);
    if (run === undefined || !stoppedToWait(run)) continue;
    const answered = await isAnswered(run, store);
    if (answered || isDue(run, caller.now())) due.push(id);
  }
  return due;
}

const MAY_WAIT: ReadonlySet<RunSummary["status"]> = new Set(["paused", "crashed"]);

const WAITS: readonly (StopReason["class"] | undefined)[] = ["parked", "limit", "question"];

function stoppedToWait({ status, stopReason }: RunState): boolean {
  return status === "waiting" || WAITS.includes(stopReason?.class);
}

async function isAnswered(run: RunState, store: RunSource): Promise<boolean> {
  const answers = await store.answers(run.id);
  const found = await Promise.all(questionsOf(run).map((asked) => answers.find(asked)));
  return found.some((given) => given?.kind === "answer");
}
