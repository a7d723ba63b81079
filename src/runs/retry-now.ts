import { isRetrying } from "../core/machine/activity.ts";
import type { RunId, RunState } from "../core/machine/run-state.ts";
import { resumeAdvice } from "../observers/summary.ts";
import { type Caller, thisProcess } from "./caller.ts";
import { request } from "./control-requests.ts";
import { loadNamed } from "./load-named.ts";
import { recordInput } from "./record-input.ts";
import { type NamedRun, nameRun, type Wanted } from "./wire/stores.ts";

/** What came of the request to retry now. */
export type Retried = { readonly id: RunId } & (
  | { readonly outcome: "not-waiting" }
  /** The process that drives the run reacted, or did not within some seconds: `next` shows its status. */
  | { readonly outcome: "heard"; readonly pid: number }
  | { readonly outcome: "no-reaction"; readonly pid: number; readonly next: string }
  /** No process drives the run: the wait is ended in the state file. `next` resumes the run. */
  | { readonly outcome: "wait-ended"; readonly next: string }
);

/**
 * Lets a run that waits for a usage limit or an outage try again now. The process that drives the run
 * receives a request. Without one, or where it has died, the wait is ended in the state file.
 */
export async function retryNow(wanted: Wanted, caller: Caller = thisProcess()): Promise<Retried> {
  return retryNamed(await nameRun(wanted, caller), caller);
}

/** The same for a run whose store is known. */
export async function retryNamed(
  { id, store, program }: Pick<NamedRun, "id" | "store" | "program">,
  caller: Pick<Caller, "now">,
): Promise<Retried> {
  const run = await loadNamed(store, id);
  if (!isWaiting(run, caller.now())) return { id, outcome: "not-waiting" };
  const reacted = (now: RunState) => moments(now) !== moments(run);
  const reaction = await request(store, id, { retry: "now" }, { reacted });
  if (reaction !== null) {
    const { pid } = reaction.holder;
    return reaction.reacted
      ? { id, outcome: "heard", pid }
      : { id, outcome: "no-reaction", pid, next: `${program} status ${id}` };
  }
  const at = caller.now();
  await recordInput(store, id, { type: "retry-now", at }, at);
  return { id, outcome: "wait-ended", next: resumeAdvice(run, program) ?? "" };
}

/** A limit stays in the state until a prompt got through, so only its moment tells whether it is waited for. */
function isWaiting({ status, wait, agents }: RunState, now: number): boolean {
  if (status === "completed") return false;
  return (wait !== null && wait.until > now) || agents.some(isRetrying);
}

/** Changes with what the run waits for. */
function moments({ wait, agents }: RunState): string {
  const waiting = agents.map(({ id, activity }) => [
    id,
    activity.type === "waiting" ? activity.until : null,
  ]);
  return JSON.stringify([wait?.until, waiting]);
}
