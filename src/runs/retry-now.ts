import { isRetrying } from "../core/machine/activity.ts";
import type { RunId, RunState } from "../core/machine/run-state.ts";
import { resumeAdvice } from "../observers/summary.ts";
import type { LockHolder, Store } from "../ports/store.ts";
import { type Caller, thisProcess } from "./caller.ts";
import { becomes, loadNamed } from "./reaction.ts";
import { recordInput } from "./record-input.ts";
import { RETRY_SIGNAL } from "./retry-signal.ts";
import { signalHolder } from "./wire/signal-holder.ts";
import { type NamedRun, nameRun, type Wanted } from "./wire/stores.ts";
import { leaveWish } from "./wishes.ts";

/** What came of the wish that a run tries again now. */
export type Retried = { readonly id: RunId } & (
  | { readonly outcome: "not-waiting" }
  /** The process that holds it was told, and has heard it, or has not reacted within some seconds: the command that shows it. */
  | { readonly outcome: "heard"; readonly pid: number }
  | { readonly outcome: "no-reaction"; readonly pid: number; readonly next: string }
  /** Nobody holds it: the wait is ended in the state file. The command that goes on with it. */
  | { readonly outcome: "wait-ended"; readonly next: string }
);

/**
 * Lets a run that waits for a usage limit or an outage try again now. A process that holds it is told by a
 * signal; of a run that nobody holds the wait is ended in the state file.
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
  const holder = await store.holder(id);
  if (holder !== null) {
    if (await isHeard(store, run, holder)) return { id, outcome: "heard", pid: holder.pid };
    return { id, outcome: "no-reaction", pid: holder.pid, next: `${program} status ${id}` };
  }
  const at = caller.now();
  await recordInput(store, id, { type: "retry-now", at }, at);
  return { id, outcome: "wait-ended", next: resumeAdvice(run, program) ?? "" };
}

async function isHeard(store: Store, before: RunState, holder: LockHolder): Promise<boolean> {
  const { id } = before;
  const takeBack = await leaveWish(store, id, { retry: "now" });
  try {
    const told = await signalHolder(store, id, RETRY_SIGNAL, holder);
    return told && (await becomes(store, id, (now) => moments(now) !== moments(before)));
  } finally {
    await takeBack();
  }
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
