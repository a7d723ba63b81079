import { type JournalText, readJournal } from "../machine/record/journal.ts";
import type { RunId } from "../machine/run-state.ts";
import type { RunSource } from "./run-source.ts";

/** The journal of a run, which may be in progress; null if there is none that can be read. */
export async function journalOf(source: RunSource, id: RunId): Promise<JournalText | null> {
  const text = await source.journalText(id);
  return text === null ? null : readJournal(text);
}
