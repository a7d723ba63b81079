import { setTimeout as delay } from "node:timers/promises";
import type { Store } from "../../engine/ports/store.ts";
import { logs } from "../../inspect/history/logs.ts";
import type { LoggedEvent } from "../../log/codec/logged-event.ts";
import type { AgentId } from "../../machine/agent.ts";
import type { RunId, RunState } from "../../machine/run-state.ts";
import { type Caller, thisProcess } from "../../wire/caller.ts";
import { loadNamed } from "../../wire/load-named.ts";
import type { Wanted } from "../../wire/stores.ts";
import { pinRun } from "../../wire/stores.ts";
import { type Answered, answer } from "../answer.ts";
import { type Retried, retry } from "../control/retry.ts";
import { STOP_TIMEOUT_MS, type StopOptions, type Stopped, stop } from "../control/stop.ts";
import { type Stopping, stopAfterSteps } from "../control/stop-after-steps.ts";
import { drivenHere } from "../driven-here.ts";

/** A handle for a run, whether this process drives it, another one, or none. */
export interface OpenedRun {
  readonly id: RunId;
  /**
   * Its events from the event log (docs/events.md), with number and time: past events, then new
   * ones until no process drives the run. Can be called any number of times.
   */
  readonly events: (options?: EventsOptions) => AsyncIterable<LoggedEvent>;
  /**
   * Answers the question of an agent. Name the agent if several ask. Rejects with a RaymondError if
   * none asks, or if the answer is invalid.
   */
  readonly answer: (text: string, by?: { readonly agent?: AgentId }) => Promise<Answered>;
  /** Ends delays, and waits for usage limits or outages, of the run or of one agent. */
  readonly retry: (agent?: AgentId) => Promise<Retried>;
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
    retry: (agent) => retry({ ...named, agent }, caller),
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
