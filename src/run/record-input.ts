import type { ClaimOptions, LockHolder, RunLock } from "../engine/ports/store.ts";
import { saveRun } from "../engine/save.ts";
import { advance, type Input } from "../machine/advance.ts";
import type { Actor } from "../machine/model/actor.ts";
import type { Event } from "../machine/model/event.ts";
import type { RunId, RunState } from "../machine/model/run-state.ts";
import { RunLockedError } from "../storage/errors.ts";
import type { Caller } from "../wire/caller.ts";
import { onControlSignal } from "../wire/control-signal.ts";
import type { RunSource } from "../wire/run-source.ts";
import { loadNamed } from "../wire/stores.ts";
import { runErrors } from "./errors.ts";

/** How commands change a run that no process drives. */

/**
 * Locks a run. The holder of a lock may receive the control signal, and its default action would
 * end this process before anything listens.
 */
export async function lockRun(
  store: Pick<RunSource, "lock" | "load" | "place">,
  id: RunId,
  claiming?: ClaimOptions,
): Promise<RunLock> {
  const signal = onControlSignal();
  try {
    const lock = await store.lock(id, claiming).catch(async (error: unknown) => {
      // The lock was copied with the run.
      if (error instanceof RunLockedError) refuseCopy(await loadNamed(store, id), store);
      throw error;
    });
    const release = () => lock.release().finally(signal.end);
    return { previousHolder: lock.previousHolder, release };
  } catch (error) {
    signal.end();
    throw error;
  }
}

/** Throws `run/copied` if the files of the loaded run are a copy of those of another state directory. */
export function refuseCopy(
  run: RunState,
  store: Pick<RunSource, "place">,
  program = "raymond",
): void {
  const place = store.place?.(run.id);
  if (place?.kind === "copy") throw runErrors["run/copied"](run, place.of, program);
}

/** Locks the run, and saves and records an input. `input` may depend on the locked run. Returns its events. */
export async function recordInput(
  store: RunSource,
  id: RunId,
  input: Input | ((run: RunState) => Promise<Input>),
  at: number,
): Promise<readonly Event[]> {
  const lock = await lockRun(store, id);
  try {
    const run = await loadNamed(store, id);
    refuseCopy(run, store);
    const made = typeof input === "function" ? await input(run) : input;
    const [next, events] = advance(run, made);
    await saveChange(store, run, { next, inputs: [made] }, at);
    return events;
  } finally {
    await lock.release();
  }
}

/** Saves a run that `inputs` have changed to `next`, and records them. The caller holds the lock. */
export async function saveChange(
  store: RunSource,
  run: RunState,
  { next, inputs }: { readonly next: RunState; readonly inputs: readonly Input[] },
  at: number,
): Promise<void> {
  // Readers of a journal that cannot be written report the gap.
  const journal = await store.openJournal(run.id, () => undefined);
  try {
    const from = { kind: "command", run } as const;
    const updatedAt = new Date(at).toISOString();
    await saveRun(next, { updatedAt, from, inputs }, { journal, store });
  } finally {
    journal.close();
  }
}

/** Logs events that no engine emits, numbered after all others. Events that cannot be written are lost. */
export async function logEvents(
  source: RunSource,
  run: RunState,
  events: readonly Event[],
  caller: Pick<Caller, "now">,
): Promise<void> {
  const writer = await source.eventWriter(run.id, caller, () => undefined);
  const last = Math.max(run.seq, await source.lastEvent(run.id));
  for (const [index, event] of events.entries()) writer.notify(event, run, last + index + 1);
  await writer.close?.();
}

/** `actor`: who took it over. */
export function takeOverEvent(
  run: RunId,
  { host, pid, startedAt, lastSeenAt }: LockHolder,
  actor: Actor,
): Event {
  return { type: "run.taken-over", run, host, pid, startedAt, lastSeenAt, actor };
}
