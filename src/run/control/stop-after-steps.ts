import { resumeAdvice } from "../../console/summary.ts";
import type { RunId, RunState } from "../../machine/model/run-state.ts";
import { isLive } from "../../machine/moves/stop.ts";
import type { Caller } from "../../wire/caller.ts";
import { loadNamed, type NamedRun, nameRun, type Wanted } from "../../wire/stores.ts";
import { lockRun, refuseCopy } from "../record-input.ts";
import { request } from "./control-requests.ts";
import { endIdle } from "./stop.ts";

export type Stopping = { readonly id: RunId } & (
  | { readonly outcome: "not-running" }
  /** No process drove the run. It no longer waits: `next` resumes it. */
  | { readonly outcome: "ended"; readonly next: string }
  /** The process that drove the run has died: the run has crashed. `next` resumes it. */
  | { readonly outcome: "dead"; readonly next: string }
  /** The process that drives the run reacted, or did not within some seconds: `next` shows its status. */
  | { readonly outcome: "received"; readonly pid: number; readonly inFlight: number }
  | { readonly outcome: "no-reaction"; readonly pid: number; readonly next: string }
);

/**
 * Asks the process that drives a run to start no more steps. Steps in flight end normally. Rejects
 * with a RaymondError if that process is out of reach.
 */
export async function stopAfterSteps(wanted: Wanted, caller: Caller): Promise<Stopping> {
  return stopNamed(await nameRun(wanted, caller), caller);
}

export async function stopNamed(
  { id, store, program }: Pick<NamedRun, "id" | "store" | "program">,
  caller: Pick<Caller, "actor" | "now">,
): Promise<Stopping> {
  const run = await loadNamed(store, id);
  refuseCopy(run, store, program);
  if (run.status === "paused") return stopPaused({ id, store, program }, caller);
  if (!isLive(run)) return { id, outcome: "not-running" };
  await store.audit(id, "stop-after-steps", caller.actor());
  const stop = { stop: "after-steps", actor: caller.actor() } as const;
  const reaction = await request(store, id, [stop], { reacted: isStopping });
  const now = await loadNamed(store, id);
  if (reaction === null) {
    if (!isLive(now)) return { id, outcome: "not-running" };
    return { id, outcome: "dead", next: resumeAdvice(now, program) ?? "" };
  }
  const { pid } = reaction.holder;
  if (!reaction.reacted) {
    return { id, outcome: "no-reaction", pid, next: `${program} status ${id}` };
  }
  const inFlight = now.agents.filter(({ activity }) => activity.type === "running").length;
  return { id, outcome: "received", pid, inFlight };
}

async function stopPaused(
  { id, store, program }: Pick<NamedRun, "id" | "store" | "program">,
  caller: Pick<Caller, "actor" | "now">,
): Promise<Stopping> {
  const lock = await lockRun(store, id);
  try {
    await store.audit(id, "stop-after-steps", caller.actor());
    if (!(await endIdle(store, id, caller))) return { id, outcome: "not-running" };
    return { id, outcome: "ended", next: resumeAdvice(await loadNamed(store, id), program) ?? "" };
  } finally {
    await lock.release();
  }
}

function isStopping(run: RunState): boolean {
  return run.stopReason !== null || !isLive(run);
}
