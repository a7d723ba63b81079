import { describe, expect, it } from "vitest";
import type { Journal } from "../../src/engine/ports/journal.ts";
import { startRun } from "../../src/engine/start.ts";
import { type JournalRecord, replayJournal } from "../../src/machine/record/journal.ts";
import { world } from "../support/engine/worlds.ts";
import { settings } from "../support/runs.ts";

/** A journal under test, and what is written in it so far. */
export interface JournalCase {
  readonly journal: Journal;
  readonly written: () => readonly JournalRecord[];
}

/** What every Journal promises. */
export function describeJournal(
  name: string,
  open: () => JournalCase | Promise<JournalCase>,
): void {
  describe(`${name} as a Journal`, () => {
    it("has written each record when append returns, in order", async () => {
      const { journal, written } = await open();
      const { records } = await recordsOfRun();

      for (const [index, [record, run]] of records.entries()) {
        journal.append(record, run);
        expect(written()).toHaveLength(index + 1);
      }

      expect(written()).toEqual(records.map(([record]) => record));
    });

    it("lets the records reproduce the run", async () => {
      const { journal, written } = await open();
      const { records, end } = await recordsOfRun();

      for (const [record, run] of records) journal.append(record, run);

      expect(replayJournal(written(), end.saves)).toEqual({ ok: true, run: end });
    });
  });
}

/** What the engine appends, over a run that forks, each with what it saves then. */
export async function recordsOfRun() {
  const here = world({
    "START.md": '<fork next="NEXT" item="1">WORKER</fork>',
    "WORKER.md": "<result>worked</result>",
    "NEXT.md": '<result>"done"\n</result>',
  });
  const options = {
    id: "wf-2026-11-21-k3x9qd",
    token: "t0",
    backend: "claude",
    input: "hello",
    workflow: { kind: "folder", path: "/repo/workflow", entry: "START.md" },
    ...{ scopeDir: "/repo/workflow", launchDir: "/repo", at: 0, attributes: { item: "7" } },
    settings: settings(),
  } as const;
  const end = await startRun(options, here.engine, here.control);
  const records = here.journal.map((record, index) => [record, here.saves[index] ?? end] as const);
  return { records, end };
}
