import { setTimeout as delay } from "node:timers/promises";
import type { AgentId } from "../core/machine/agent.ts";
import type { RunId, RunState } from "../core/machine/run-state.ts";
import type { LoggedEvent } from "../observers/logged-event.ts";
import type { Store } from "../ports/store.ts";
import { type Answered, answer } from "./answer.ts";
import { type Caller, thisProcess } from "./caller.ts";
import { drivenHere } from "./driven-here.ts";
import { loadNamed } from "./load-named.ts";
import { logs } from "./logs.ts";
import { pinRun } from "./pinned-run.ts";
import { type Retried, retryNow } from "./retry-now.ts";
import { STOP_TIMEOUT_MS, type StopOptions, type Stopped, stop } from "./stop.ts";
import { type Stopping, stopAfterSteps } from "./stop-after-steps.ts";
import { type Woken, wake } from "./wake.ts";
import type { Wanted } from "./wire/stores.ts";

/** A run that one can watch and tell something, whoever drives it: this process, another one, or nobody now. */
export interface OpenedRun {
  readonly id: RunId;
  /**
   * Its events from the event log (docs/events.md), each with its number and moment: what was told so far, and then what
   * comes, until no process drives the run any more. May be called as often as one likes.
   */
  readonly events: (options?: EventsOptions) => AsyncIterable<LoggedEvent>;
  /** Answers what an agent asks; it is named where several ask. Rejects with a RaymondError where nobody asks, or the answer does not fit. */
  readonly answer: (text: string, by?: { readonly agent?: AgentId }) => Promise<Answered>;
  /** Waits no longer for a usage limit or an outage. */
  readonly retryNow: () => Promise<Retried>;
  /** Ends the delay of an agent, or those of all. */
  readonly wake: (agent?: AgentId) => Promise<Woken>;
  /** Lets the steps in flight end, and starts no other. */
  readonly stopAfterSteps: () => Promise<Stopping>;
  /** Interrupts what is in flight, kills it when that takes too long, and resolves when the run has ended. It can be resumed. */
  readonly stop: (options?: Pick<StopOptions, "timeoutMs" | "takeOver">) => Promise<Stopped>;
  /** The run as it was when no process drove it any more. Rejects with a `BrokenOffError` where this process drove it, and could not to its end. */
  readonly ended: () => Promise<RunState>;
}

/** Which events: without anything all of them. */
export interface EventsOptions {
  /** From the one with this number on: `run.seq` of a state, and one, is what comes after it. */
  readonly from?: number | undefined;
  /** Ends the iteration, also while it waits. */
  readonly signal?: AbortSignal | undefined;
}

/** Opens a run, named as on the command line. Rejects with a RaymondError where there is none. */
export async function openRun(wanted: Wanted, caller: Caller = thisProcess()): Promise<OpenedRun> {
  const { id, root, store, named } = await pinRun(wanted, caller);
  await loadNamed(store, id);
  const here = drivenHere(root, id);
  return {
    id,
    events: ({ from, signal } = {}) => eventsOf({ ...named, from, signal }, caller),
    answer: (text, { agent } = {}) => answer({ ...named, text, agent }, caller),
    retryNow: () => retryNow(named, caller),
    wake: (agent) => wake({ ...named, agent }, caller),
    stopAfterSteps: () => stopAfterSteps(named, caller),
    stop: async (options = {}) => {
      const interrupted = await interruptHere(root, id, options.timeoutMs);
      const stopped = await stop({ ...named, ...options }, caller);
      return interrupted ? { ...stopped, ending: "ended" } : stopped;
    },
    ended: () => (here ?? drivenHere(root, id))?.ended ?? endedElsewhere(store, id),
  };
}

async function* eventsOf(
  options: Wanted & EventsOptions,
  caller: Caller,
): AsyncGenerator<LoggedEvent> {
  const { pieces } = await logs({ ...options, follow: true }, caller);
  for await (const { lines } of pieces) {
    for (const { event, seq, at } of lines) {
      if (seq >= (options.from ?? 0)) yield { event, seq, at };
    }
  }
}

/** Ends a run that this process drives; false where it does not. */
async function interruptHere(
  root: string,
  id: RunId,
  timeoutMs = STOP_TIMEOUT_MS,
): Promise<boolean> {
  const run = drivenHere(root, id);
  if (run === null) return false;
  run.interrupt();
  const over = run.ended.then(
    () => undefined,
    () => undefined,
  );
  const timer = new AbortController();
  const late = delay(timeoutMs, undefined, { signal: timer.signal }).then(
    run.kill,
    () => undefined,
  );
  await over;
  timer.abort();
  await late;
  return true;
}

async function endedElsewhere(store: Store, id: RunId): Promise<RunState> {
  while ((await store.holder(id)) !== null) await delay(POLL_MS);
  return loadNamed(store, id);
}

const POLL_MS = 250;
