import type { JournalRecord } from "../core/machine/journal.ts";
import type { RunState } from "../core/machine/run-state.ts";
import type { Engine } from "./engine.ts";

/**
 * Saves a run under the next number, and writes down what led to it. Resolves
 * with the run as it was saved; rejects where it could not be.
 */
export async function saveRun(
  run: RunState,
  record: Omit<JournalRecord, "save">,
  { journal, store }: Pick<Engine, "journal" | "store">,
): Promise<RunState> {
  const saved = { ...run, saves: run.saves + 1, updatedAt: record.updatedAt };
  journal.append({ save: saved.saves, ...record }, saved);
  await store.save(saved, run.saves);
  return saved;
}
