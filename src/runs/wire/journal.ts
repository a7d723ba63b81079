import { type JournalText, readJournal } from "../../core/machine/journal.ts";
import type { RunId } from "../../core/machine/run-state.ts";
import type { Journal } from "../../ports/journal.ts";
import type { Store } from "../../ports/store.ts";
import { journalFile } from "../../stores/journal-file.ts";
import { journalText } from "../../stores/journal-text.ts";

/** The journal of a run, to append to; `warn` is called once where that fails. */
export async function openJournal(
  { artifacts, remote }: Pick<Store, "artifacts" | "remote">,
  id: RunId,
  warn: (message: string) => void,
): Promise<Journal & { close(): void }> {
  if (remote !== undefined) return { ...remote.journal(id), close: () => undefined };
  return journalFile((await artifacts(id)).journal, warn);
}

/** What the journal of a run tells, which may go on; null where there is none that can be read. */
export async function journalOf(
  store: Pick<Store, "artifacts" | "remote">,
  id: RunId,
): Promise<JournalText | null> {
  const text =
    store.remote === undefined
      ? await journalText((await store.artifacts(id)).journal)
      : await store.remote.journalText(id);
  return text === null ? null : readJournal(text);
}
