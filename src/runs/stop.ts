import { RaymondError } from "../core/errors.ts";
import { advance, type Input } from "../core/machine/advance.ts";
import type { Event } from "../core/machine/event.ts";
import { questionsOf } from "../core/machine/question.ts";
import { inFlight } from "../core/machine/roster.ts";
import type { RunId } from "../core/machine/run-state.ts";
import { isLive } from "../core/machine/stop.ts";
import { answerAdvice, resumeAdvice } from "../observers/summary.ts";
import type { Leftover } from "../ports/leftovers.ts";
import type { LockHolder, RunLock, Store } from "../ports/store.ts";
import { isCertain, UnknownRunError } from "../stores/errors.ts";
import { type Caller, thisProcess } from "./caller.ts";
import { type ShownStatus, statusIn } from "./inspect.ts";
import { keepEvents } from "./keep-events.ts";
import { lockRun } from "./lock-run.ts";
import { saveChange } from "./record-input.ts";
import { logTakeOver } from "./taken-over.ts";
import { isFreeWithin, signalHolder } from "./wire/signal-holder.ts";
import { nameRun, type Wanted } from "./wire/stores.ts";

/** A run that is to be ended. */
export interface StopOptions extends Wanted {
  /** Until what is in flight is killed, ms; without it 90 seconds. */
  readonly timeoutMs?: number | undefined;
  /** A holder that cannot be seen from here is taken for dead, and not refused. */
  readonly takeOver?: boolean | undefined;
  /** Hears what the process that holds the run is told. */
  readonly told?: ((signal: Told) => void) | undefined;
}

/** A signal to the process that holds a run; `urgency` says what it asks for. */
export interface Told {
  readonly pid: number;
  readonly signal: "SIGTERM" | "SIGKILL";
  readonly urgency: "interrupt" | "kill-steps" | "kill";
}

/** What has become of a run that was to be ended. */
export interface Stopped {
  readonly id: RunId;
  readonly status: ShownStatus;
  /** How it came to have no holder. */
  readonly ending: "nobody-held-it" | "ended" | "killed" | "taken-over";
  /** The holder that was taken for dead. */
  readonly takenFrom: LockHolder | null;
  /** Processes of it that lived on, and are dead now. */
  readonly ended: readonly Leftover[];
  /** Those that live still. */
  readonly left: readonly Leftover[];
  /** The command that goes on with it; null when it is complete. */
  readonly next: string | null;
  /** The commands that answer what it asks. */
  readonly answerWith: readonly string[];
}

/**
 * Ends a run that another process holds, and every process that carries the run's token, or descends from
 * one that does. Rejects with a RaymondError where the holder is out of reach, or where somebody goes on
 * with the run meanwhile.
 */
export async function stop(options: StopOptions, caller: Caller = thisProcess()): Promise<Stopped> {
  const { id, store, program } = await nameRun(options, caller);
  const run = await store.load(id);
  if (run === undefined) throw new UnknownRunError(options.run);
  const { processes } = await caller.system();
  const { groups, events } = await store.artifacts(id);
  const ending = await endHolder(store, id, options);

  const lock = await claim(store, id, options);
  const takenFrom = lock?.takenFrom ?? null;
  try {
    await takeFromQueue(store, id, caller);
    if (takenFrom !== null) await logTakeOver(run, takenFrom, events, caller);
    const epoch = store.remote?.epoch(id) ?? null;
    const { ended, left } = await processes.leftovers(groups, null, epoch).end(run.token);
    const stopped = (await store.load(id)) ?? run;
    const next = resumeAdvice(stopped, program);
    const questions = questionsOf(stopped);
    const answerWith = questions.map((asked) => answerAdvice({ id, questions }, asked, program));
    const status = await statusIn(store, stopped, null);
    return { id, status, ending, takenFrom, ended, left, next, answerWith };
  } finally {
    await lock?.release();
  }
}

/** Until a second signal is sent, ms: an ordinary stop takes up to five seconds. */
export const STOP_TIMEOUT_MS = 90_000;
/** What the second signal takes: it kills, and the state is saved. */
const SECOND_MS = 8_000;
const KILLED_MS = 10_000;

async function endHolder(
  store: Store,
  id: RunId,
  { timeoutMs = STOP_TIMEOUT_MS, told, takeOver }: StopOptions,
): Promise<Stopped["ending"]> {
  const holder = await store.holder(id);
  if (holder === null) return "nobody-held-it";
  if (takeOver === true && !isCertain(holder)) return "taken-over";
  const rungs = [
    ["SIGTERM", timeoutMs, "interrupt"],
    ["SIGTERM", SECOND_MS, "kill-steps"],
    ["SIGKILL", KILLED_MS, "kill"],
  ] as const;
  for (const [signal, ms, urgency] of rungs) {
    if (!(await signalHolder(store, id, signal, holder))) return "ended";
    told?.({ pid: holder.pid, signal, urgency });
    if (await isFreeWithin(store, id, holder, ms)) {
      return signal === "SIGKILL" ? "killed" : "ended";
    }
  }
  return "killed";
}

/** Of a run that is in the queue of its fleet, with nothing in flight, all is known: it has not crashed. */
async function takeFromQueue(store: Store, id: RunId, { now }: Caller): Promise<void> {
  const { remote } = store;
  if (remote === undefined) return;
  const isQueued = (await remote.expected()).has(id);
  await remote.withdraw(id);
  const run = isQueued ? await store.load(id) : undefined;
  if (run === undefined || !isLive(run) || inFlight(run).length > 0) return;
  const inputs: readonly Input[] = [
    { type: "stopped", reason: IN_QUEUE },
    { type: "looked", at: now(), sessions: [] },
  ];
  let next = run;
  const events: Event[] = [];
  for (const input of inputs) {
    const [state, emitted] = advance(next, input);
    next = state;
    events.push(...emitted);
  }
  await saveChange(store, run, { next, inputs }, now());
  await keepEvents(events, run, store, { now });
}

const IN_QUEUE: Extract<Input, { type: "stopped" }>["reason"] = {
  class: "interrupted",
  message: "Taken out of its queue, as asked.",
  agent: null,
  state: null,
  signal: "SIGTERM",
};

/** Null where the disk refuses the lock: it then refuses it to all others, too. */
async function claim(store: Store, id: RunId, { takeOver }: StopOptions): Promise<RunLock | null> {
  try {
    return await lockRun(store, id, { takeOver });
  } catch (error) {
    if (error instanceof RaymondError && error.code === "store/disk") return null;
    throw error;
  }
}
