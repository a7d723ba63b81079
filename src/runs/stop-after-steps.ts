import type { RunId } from "../core/machine/run-state.ts";
import { isLive } from "../core/machine/stop.ts";
import { type Caller, thisProcess } from "./caller.ts";
import { becomes, loadNamed } from "./reaction.ts";
import { RETRY_SIGNAL } from "./retry-signal.ts";
import { signalHolder } from "./wire/signal-holder.ts";
import { type NamedRun, nameRun, type Wanted } from "./wire/stores.ts";
import { leaveWish } from "./wishes.ts";

/** What came of the wish that a run stops once its steps in flight have ended. */
export type Stopping = { readonly id: RunId } & (
  | { readonly outcome: "not-running" }
  /** The process that holds it was told, and has heard it, or has not reacted within some seconds: the command that shows it. */
  | { readonly outcome: "heard"; readonly pid: number; readonly inFlight: number }
  | { readonly outcome: "no-reaction"; readonly pid: number; readonly next: string }
);

/**
 * Lets a run that another process holds stop gently: no step starts any more, those in flight end by
 * themselves. Rejects with a RaymondError where the holder is out of reach.
 */
export async function stopAfterSteps(
  wanted: Wanted,
  caller: Caller = thisProcess(),
): Promise<Stopping> {
  return stopNamed(await nameRun(wanted, caller));
}

/** The same for a run whose store is known. */
export async function stopNamed({
  id,
  store,
  program,
}: Pick<NamedRun, "id" | "store" | "program">): Promise<Stopping> {
  const run = await loadNamed(store, id);
  const holder = await store.holder(id);
  if (holder === null || !isLive(run)) return { id, outcome: "not-running" };
  const takeBack = await leaveWish(store, id, { stop: "after-steps" });
  try {
    const heard =
      (await signalHolder(store, id, RETRY_SIGNAL, holder)) &&
      (await becomes(store, id, (now) => now.stopReason !== null || !isLive(now)));
    if (!heard) {
      return { id, outcome: "no-reaction", pid: holder.pid, next: `${program} status ${id}` };
    }
    const { agents } = await loadNamed(store, id);
    const inFlight = agents.filter(({ activity }) => activity.type === "running").length;
    return { id, outcome: "heard", pid: holder.pid, inFlight };
  } finally {
    await takeBack();
  }
}
