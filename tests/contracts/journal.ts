import { describe, expect, it } from "vitest";
import { foldJournal, type JournalRecord } from "../../src/core/machine/journal.ts";
import { startRun } from "../../src/engine/start.ts";
import type { Journal } from "../../src/ports/journal.ts";
import { settings } from "../support/runs.ts";
import { world } from "../support/worlds.ts";

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
    it("has written down each record when append returns, in their order", async () => {
      const { journal, written } = await open();
      const { told } = await recordsOfRun();

      for (const [index, [record, run]] of told.entries()) {
        journal.append(record, run);
        expect(written()).toHaveLength(index + 1);
      }

      expect(written()).toEqual(told.map(([record]) => record));
    });

    it("tells by them how the run came to be as it is", async () => {
      const { journal, written } = await open();
      const { told, end } = await recordsOfRun();

      for (const [record, run] of told) journal.append(record, run);

      expect(foldJournal(written(), end.saves)).toEqual({ ok: true, run: end });
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
  const beginning = {
    id: "wf-2026-11-21-k3x9qd",
    token: "t0",
    backend: "claude",
    input: "hello",
    workflow: { kind: "folder", path: "/repo/workflow", entry: "START.md" },
    ...{ scopeDir: "/repo/workflow", launchDir: "/repo", at: 0, attributes: { item: "7" } },
    settings: settings(),
  } as const;
  const end = await startRun(beginning, here.engine, here.control);
  const told = here.journal.map((record, index) => [record, here.saves[index] ?? end] as const);
  return { told, end };
}
