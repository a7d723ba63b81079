import { writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { logsCommand } from "../../../src/cli/commands/inspect/logs.ts";
import { showCommand } from "../../../src/cli/commands/inspect/show.ts";
import type { JournalRecord } from "../../../src/machine/record/journal.ts";
import { run } from "../../support/runs.ts";
import {
  ended,
  logOf,
  modelMessage,
  runFolder,
  saveRun,
  started,
} from "../../support/saved-runs.ts";
import { testShell } from "../../support/test-shell.ts";

const RUN = run({ status: "failed", processes: 1 });
const LOG = logOf([started(1), modelMessage("I look."), ended(1)]);
const LAST: JournalRecord = {
  save: 1,
  updatedAt: RUN.updatedAt,
  from: { kind: "resumed", run: RUN },
  inputs: [],
};

/** A run whose state file is damaged, and its journal. */
async function damaged(journal = `${JSON.stringify(LAST)}\n`) {
  const dir = await saveRun(RUN, LOG);
  await writeFile(path.join(dir, ".raymond", "workflows", `${RUN.id}.json`), '{"version": 1');
  await writeFile(path.join(runFolder(dir, RUN.id), "journal.jsonl"), journal);
  return testShell(dir);
}

describe("a run whose state file is damaged", () => {
  it("is shown by `logs` and `show` from its event log and journal, with a line about the damage", async () => {
    const shell = await damaged();

    await logsCommand({ run: RUN.id }, shell);
    await showCommand({ run: RUN.id }, shell);
    await showCommand({ run: RUN.id, step: "1" }, shell);

    expect(shell.stdout().match(/I look\./g)).toHaveLength(2);
    expect(shell.stdout()).toContain("START.md");
    const named = shell.stderr().match(/it was cut off: .* from the event log and the journal/g);
    expect(named).toHaveLength(3);
  });

  it.each([
    ["is torn", '{"save":1,"from":{"kind":"resu'],
    ["is of another version", '{"save":1,"from":{"kind":"other"},"inputs":[]}\n'],
    ["is empty", ""],
  ])("is refused where its journal %s", async (_, journal) => {
    const shell = await damaged(journal);

    await expect(logsCommand({ run: RUN.id }, shell)).rejects.toMatchObject({
      code: "store/damaged-state",
    });
  });
});
