import { answerAdvice, resumeAdvice } from "../../console/summary.ts";
import type { OrphanProcess } from "../../engine/ports/orphans.ts";
import type { LockHolder, RunLock } from "../../engine/ports/store.ts";
import { type ShownStatus, statusIn } from "../../inspect/run-view.ts";
import { RaymondError } from "../../language/basics/errors.ts";
import { advance } from "../../machine/advance.ts";
import type { Actor } from "../../machine/model/actor.ts";
import type { Event } from "../../machine/model/event.ts";
import type { RunId, StopReason } from "../../machine/model/run-state.ts";
import { questionsOf } from "../../machine/moves/question.ts";
import { isCertain } from "../../storage/errors.ts";
import type { Caller } from "../../wire/caller.ts";
import type { RunSource } from "../../wire/run-source.ts";
import { loadNamed, nameRun, type Wanted } from "../../wire/stores.ts";
import { lockRun, logEvents, refuseCopy, saveChange, takeOverEvent } from "../record-input.ts";
import { isFreeWithin, sendRequest } from "./control-requests.ts";

export interface StopOptions extends Wanted {
  /** Time until steps in flight are killed, ms (default: 90 seconds). */
  readonly timeoutMs?: number | undefined;
  /** Presume a holder dead that is not visible from here, instead of refusing. */
  readonly takeOver?: boolean | undefined;
  /** Called for each signal to the process that holds the run. */
  readonly onSignal?: ((signal: StopSignal) => void) | undefined;
}

/** `urgency`: the meaning of the signal for that process. */
export interface StopSignal {
  readonly pid: number;
  readonly signal: "SIGTERM" | "SIGKILL";
  readonly urgency: "interrupt" | "kill-steps" | "kill";
}

export interface Stopped {
  readonly id: RunId;
  readonly status: ShownStatus;
  /** Why no process holds it now. */
  readonly ending: "not-running" | "ended" | "killed" | "taken-over";
  /** The holder that was presumed dead. */
  readonly takenFrom: LockHolder | null;
  readonly ended: readonly OrphanProcess[];
  /** Orphan processes that are still alive. */
  readonly left: readonly OrphanProcess[];
  /** The command that resumes it; null if it is complete. */
  readonly next: string | null;
  readonly answerWith: readonly string[];
}

/**
 * Stops a run of another process, and kills every process that has the run's token or descends from
 * one that has. Rejects with a RaymondError if the holder is out of reach, or if another process
 * acquires the run in the meantime.
 */
export async function stop(options: StopOptions, caller: Caller): Promise<Stopped> {
  const { id, store, program } = await nameRun(options, caller);
  const run = await loadNamed(store, id);
  refuseCopy(run, store, program);
  const { processes } = await caller.system();
  const { groups } = await store.artifacts(id);
  await store.audit(id, "stop", caller.actor());
  const { ending, logged } = await endHolder(store, id, options, caller.actor());

  const lock = await claim(store, id, options);
  const takenFrom = lock?.previousHolder ?? null;
  try {
    const actor = caller.actor();
    if (takenFrom !== null) {
      await logEvents(store, run, [takeOverEvent(id, takenFrom, actor)], caller);
    }
    const { ended, remaining: left } = await processes
      .orphans(groups, null, store.epoch(id))
      .end(run.token);
    const idle = lock !== null && (await endIdle(store, id, caller, logged));
    if (!idle && !logged && ending !== "not-running") {
      await logEvents(store, run, [stoppedBy(id, actor)], caller);
    }
    const after = (await store.load(id)) ?? run;
    const next = resumeAdvice(after, program);
    const questions = questionsOf(after);
    const answerWith = questions.map((asked) => answerAdvice({ id, questions }, asked, program));
    const status = await statusIn(store, after, null);
    return {
      id,
      status,
      ending: idle && ending === "not-running" ? "ended" : ending,
      takenFrom,
      ended,
      left,
      next,
      answerWith,
    };
  } finally {
    await lock?.release();
  }
}

/** Time until the second signal, ms. A normal stop takes up to five seconds. */
export const STOP_TIMEOUT_MS = 90_000;
/** After the second signal, which kills steps, the run is saved. */
const SECOND_MS = 8_000;
const KILLED_MS = 10_000;

/** `logged`: the holder has recorded who stopped the run, before its end. */
interface HolderEnd {
  readonly ending: Stopped["ending"];
  readonly logged: boolean;
}

async function endHolder(
  store: RunSource,
  id: RunId,
  { timeoutMs = STOP_TIMEOUT_MS, onSignal, takeOver }: StopOptions,
  actor: Actor,
): Promise<HolderEnd> {
  const holder = await store.holder(id);
  if (holder === null) return { ending: "not-running", logged: false };
  if (takeOver === true && !isCertain(holder)) return { ending: "taken-over", logged: false };
  const attempts = [
    [{ stop: "interrupt", actor }, timeoutMs, "SIGTERM", "interrupt"],
    [{ stop: "interrupt" }, SECOND_MS, "SIGTERM", "kill-steps"],
    [{ stop: "kill" }, KILLED_MS, "SIGKILL", "kill"],
  ] as const;
  let withdraw: (() => Promise<boolean>) | null = null;
  let ending: Stopped["ending"] = "killed";
  for (const [request, ms, signal, urgency] of attempts) {
    const sent = await sendRequest(store, id, holder, request);
    if (sent === null) {
      ending = "ended";
      break;
    }
    withdraw ??= sent;
    onSignal?.({ pid: holder.pid, signal, urgency });
    if (await isFreeWithin(store, id, holder, ms)) {
      ending = urgency === "kill" ? "killed" : "ended";
      break;
    }
  }
  return { ending, logged: withdraw !== null && !(await withdraw()) };
}

function stoppedBy(run: RunId, actor: Actor): Event {
  return { type: "run.controlled", run, action: "stop", target: null, actor };
}

/**
 * Ends a queued, crashed or paused run as interrupted, so that nothing resumes it by itself, and logs
 * who stopped it unless that was `logged`. Returns whether it has changed. The caller holds the lock.
 */
export async function endIdle(
  store: RunSource,
  id: RunId,
  { now, actor }: Pick<Caller, "now" | "actor">,
  logged = false,
): Promise<boolean> {
  const isQueued = (await store.queue.expected()).has(id);
  await store.queue.withdraw(id);
  const run = await store.load(id);
  if (run === undefined) return false;
  const input = { type: "stopped", reason: stoppedAs(isQueued), idle: true } as const;
  const [next, ended] = advance(run, input);
  if (next === run) return false;
  await saveChange(store, run, { next, inputs: [input] }, now());
  await logEvents(store, run, [...(logged ? [] : [stoppedBy(id, actor())]), ...ended], { now });
  return true;
}

function stoppedAs(isQueued: boolean): StopReason {
  const message = isQueued
    ? "Taken out of its queue, as asked."
    : "Stopped while no process ran it.";
  return { class: "interrupted", message, agent: null, state: null, signal: "SIGTERM" };
}

/** Null if the disk refuses the lock. It then refuses it to every process. */
async function claim(
  store: RunSource,
  id: RunId,
  { takeOver }: StopOptions,
): Promise<RunLock | null> {
  try {
    return await lockRun(store, id, { takeOver });
  } catch (error) {
    if (error instanceof RaymondError && error.code === "store/disk") return null;
    throw error;
  }
}
