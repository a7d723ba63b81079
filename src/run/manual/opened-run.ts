import { setTimeout as delay } from "node:timers/promises";
import { logs } from "../../inspect/history/logs.ts";
import type { LoggedEvent } from "../../log/codec/logged-event.ts";
import type { AgentId } from "../../machine/model/agent.ts";
import type { RunId, RunState } from "../../machine/model/run-state.ts";
import { writeRequest } from "../../storage/request-files.ts";
import { type Caller, thisProcess } from "../../wire/caller.ts";
import type { RunSource } from "../../wire/run-source.ts";
import { loadNamed, pinRun, type Wanted } from "../../wire/stores.ts";
import { type Answered, answer } from "../answer.ts";
import { type Retried, retry } from "../control/retry.ts";
import { STOP_TIMEOUT_MS, type StopOptions, type Stopped, stop } from "../control/stop.ts";
import { type Stopping, stopAfterSteps } from "../control/stop-after-steps.ts";

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
  /**
   * Interrupts the steps in flight, kills them after a timeout, and resolves when the run has
   * ended. It can be resumed.
   */
  readonly stop: (options?: Pick<StopOptions, "timeoutMs" | "takeOver">) => Promise<Stopped>;
  /**
   * Resolves with the run when no process drives it any more. Rejects with a `BrokenOffError` if
   * this process drove it, and failed.
   */
  readonly ended: () => Promise<RunState>;
}

export interface EventsOptions {
  /** First event number: for new events only, `run.seq` of a state plus one. */
  readonly from?: number | undefined;
  /** Ends the iteration, also while it waits. */
  readonly signal?: AbortSignal | undefined;
}

/** Opens a run, named as on the command line. Rejects with a RaymondError if it does not exist. */
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
      const driven = drivenHere(root, id);
      if (driven !== undefined) {
        const withdraw = await announceStop(store, id, caller);
        await endHere(driven, options.timeoutMs);
        await withdraw?.();
      }
      const stopped = await stop({ ...named, ...options }, caller);
      return driven === undefined ? stopped : { ...stopped, ending: "ended" };
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

/**
 * A run that this process drives. A signal would stop the whole process, so it is stopped by a
 * call.
 */
interface DrivenRun {
  /** Rejects as `start` and `resume` do. */
  readonly ended: Promise<RunState>;
  readonly interrupt: AbortController;
  readonly kill: AbortController;
}

const driven = new Map<string, DrivenRun>();

/** Records, until the run ends, that this process drives it. */
export function registerDriven(root: string, id: RunId, run: DrivenRun): void {
  const key = keyOf(root, id);
  driven.set(key, run);
  const forget = () => void driven.delete(key);
  run.ended.then(forget, forget);
}

function drivenHere(root: string, id: RunId): DrivenRun | undefined {
  return driven.get(keyOf(root, id));
}

function keyOf(root: string, id: RunId): string {
  return JSON.stringify([root, id]);
}

/** Records who stops the run. Its process, this one, gets no signal. Returns a function that withdraws that. */
async function announceStop(
  store: RunSource,
  id: RunId,
  caller: Caller,
): Promise<(() => Promise<boolean>) | null> {
  const holder = await store.holder(id);
  if (holder === null) return null;
  const { requests } = await store.artifacts(id);
  return writeRequest(requests, holder, { stop: "interrupt", actor: caller.actor() });
}

async function endHere(
  { ended, interrupt, kill }: DrivenRun,
  timeoutMs = STOP_TIMEOUT_MS,
): Promise<void> {
  interrupt.abort();
  const timer = setTimeout(() => {
    kill.abort();
  }, timeoutMs);
  await ended.catch(() => undefined);
  clearTimeout(timer);
}

async function endedElsewhere(store: RunSource, id: RunId): Promise<RunState> {
  while ((await store.holder(id)) !== null) await delay(POLL_MS);
  return loadNamed(store, id);
}

const POLL_MS = 250;
