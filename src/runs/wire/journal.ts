import { type JournalText, readJournal } from "../../core/machine/journal.ts";
import type { Artifacts } from "../../ports/artifacts.ts";
import { journalText } from "../../stores/journal-text.ts";

/** What the journal of a run tells, which may go on; null where there is none that can be read. */
export async function journalOf({ journal }: Artifacts): Promise<JournalText | null> {
  const text = await journalText(journal);
  return text === null ? null : readJournal(text);
}
