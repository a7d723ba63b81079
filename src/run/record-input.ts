import { saveRun } from "../engine/save.ts";
import { advance, type Input } from "../machine/advance.ts";
import type { Event } from "../machine/event.ts";
import type { RunId, RunState } from "../machine/run-state.ts";
import { loadNamed } from "../wire/load-named.ts";
import type { RunSource } from "../wire/run-source.ts";
import { lockRun } from "./lock-run.ts";

/**
 * Applies an input, or what `input` makes of the run once it is locked, to a run that no process drives:
 * saves it and records it in the journal. Resolves with the events of that input.
 */
export async function recordInput(
  store: RunSource,
  id: RunId,
  input: Input | ((run: RunState) => Promise<Input>),
  at: number,
): Promise<readonly Event[]> {
  const lock = await lockRun(store, id);
  try {
    const run = await loadNamed(store, id);
    const made = typeof input === "function" ? await input(run) : input;
    const [next, events] = advance(run, made);
    await saveChange(store, run, { next, inputs: [made] }, at);
    return events;
  } finally {
    await lock.release();
  }
}

/** What a command changes in a run: the inputs that lead to `next`. */
interface Change {
  readonly next: RunState;
  readonly inputs: readonly Input[];
}

/** Saves what a command changed in a run, and records it in the journal. The caller holds the lock. */
export async function saveChange(
  store: RunSource,
  run: RunState,
  { next, inputs }: Change,
  at: number,
): Promise<void> {
  // A journal that cannot be written has a gap, which its readers report.
  const journal = await store.openJournal(run.id, () => undefined);
  try {
    const from = { kind: "command", run } as const;
    const updatedAt = new Date(at).toISOString();
    await saveRun(next, { updatedAt, from, inputs }, { journal, store });
  } finally {
    journal.close();
  }
}
