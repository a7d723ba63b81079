import type { RunState } from "../machine/model/run-state.ts";
import type { JournalRecord } from "../machine/record/journal.ts";
import type { Engine } from "./engine.ts";

/**
 * Saves a run under the next revision and records its inputs. Resolves with the saved run; rejects
 * if the save fails.
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
