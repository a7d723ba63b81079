import { readFileSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { RunState } from "../../src/machine/model/run-state.ts";
import { readJournal, replayJournal } from "../../src/machine/record/journal.ts";
import { recordingOf } from "../../src/machine/record/recording.ts";
import { journalFile, journalText, olderJournal } from "../../src/storage/journal-file.ts";
import { describeJournal, recordsOfRun } from "../contracts/journal.ts";
import { run } from "../support/runs.ts";

async function place(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), "raymond-test-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return path.join(folder, "runs", "one", "journal.jsonl");
}

const record = (save: number) => ({
  save,
  updatedAt: "2026-11-21T10:30:00.000Z",
  from: null,
  inputs: [],
});

/** What these records lead to does not matter. */
const SOMEWHERE = run();

const FAIL_ON_WARNING = (message: string) => {
  throw new Error(message);
};

describeJournal("journalFile", async () => {
  const file = await place();
  const journal = journalFile(file, FAIL_ON_WARNING);
  onTestFinished(() => {
    journal.close();
  });
  return { journal, written: () => readJournal(readFileSync(file, "utf8")) };
});

describe("journalFile", () => {
  it("has each record on disk when append returns, private to its owner", async () => {
    const file = await place();
    const journal = journalFile(file, FAIL_ON_WARNING);

    journal.append(record(1), SOMEWHERE);
    expect(readJournal(await readFile(file, "utf8"))).toEqual([record(1)]);
    journal.append(record(2), SOMEWHERE);
    journal.close();

    expect(readJournal(await readFile(file, "utf8"))).toEqual([record(1), record(2)]);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  it("continues after a line that a crash has torn", async () => {
    const file = await place();
    journalFile(file, FAIL_ON_WARNING).append(record(1), SOMEWHERE);
    await writeFile(file, `${await readFile(file, "utf8")}{"save":2,"upd`);

    const journal = journalFile(file, FAIL_ON_WARNING);
    journal.append(record(2), SOMEWHERE);
    journal.close();

    const records = readJournal(await readFile(file, "utf8"));
    expect(records).toEqual([record(1), record(2)]);
  });

  it("warns once where it cannot be written, and never throws", () => {
    const warnings: string[] = [];
    const journal = journalFile("/dev/null/runs/journal.jsonl", (message) =>
      warnings.push(message),
    );

    journal.append(record(1), SOMEWHERE);
    journal.append(record(2), SOMEWHERE);

    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain("/dev/null/runs/journal.jsonl");
  });
});

describe("a journal that has grown", () => {
  it("keeps two files, deletes older ones, and replays each save that they contain", async () => {
    const file = await place();
    const { records: steps, end } = await recordsOfRun();
    const journal = journalFile(file, FAIL_ON_WARNING, 1);
    for (const [one, saved] of steps) journal.append(one, saved);
    journal.close();

    expect((await readdir(path.dirname(file))).sort()).toEqual([
      "journal.jsonl",
      "journal.older.jsonl",
    ]);
    expect((await stat(olderJournal(file))).mode & 0o777).toBe(0o600);
    const records = readJournal((await journalText(file)) ?? "");
    expect(replayJournal(records, end.saves)).toEqual({ ok: true, run: end });
    const recorded = recordingOf(records, end);
    if (!recorded.ok) throw new Error(recorded.problem);
    expect(recorded.recording.options).toBeNull();
    expect(recorded.recording.moments.at(-1)?.run).toEqual(end);
    expect(recorded.recording.base.saves).toBe(steps.length - 1);
  });

  it("leads to every later save, whichever of its writes was the last of a raymond", async () => {
    const { records: steps, end } = await recordsOfRun();
    for (const most of [1, 2_000, 5_000]) {
      const file = await place();
      const journal = journalFile(file, FAIL_ON_WARNING, most);
      for (const [index, [one, saved]] of steps.entries()) {
        const before = await filesOf(file);
        journal.append(one, saved);
        for (const died of deathsIn(before, await filesOf(file), JSON.stringify(one))) {
          await leadsToTheEnd(died, steps.slice(index + 1), saved, end, most);
        }
      }
      journal.close();
    }
  });
});

/** The newer file and the older one. */
type Files = readonly [newer: string | null, older: string | null];

async function filesOf(file: string): Promise<Files> {
  const text = (one: string) => readFile(one, "utf8").catch(() => null);
  return [await text(file), await text(olderJournal(file))];
}

/** What lies there when a raymond dies at any moment of an append. */
function deathsIn(before: Files, after: Files, line: string): readonly Files[] {
  const [newer, older] = after;
  const turned = older !== before[1];
  if (!turned) return [after];
  return [
    [`${before[0] ?? ""}${line}\n`, before[1]],
    [null, older],
    [(newer ?? "").slice(0, 40), older],
    after,
  ];
}

/** The next raymond finds the run as it was saved, and the rest comes about as before. */
async function leadsToTheEnd(
  [newer, older]: Files,
  rest: Awaited<ReturnType<typeof recordsOfRun>>["records"],
  found: RunState,
  end: RunState,
  most: number,
): Promise<void> {
  const file = await place();
  await mkdir(path.dirname(file), { recursive: true });
  if (newer !== null) await writeFile(file, newer);
  if (older !== null) await writeFile(olderJournal(file), older);
  expect(replayJournal(await recordsIn(file), found.saves)).toEqual({ ok: true, run: found });

  const journal = journalFile(file, FAIL_ON_WARNING, most);
  for (const [index, [one, saved]] of rest.entries()) {
    const from = index === 0 ? ({ kind: "resumed", run: found } as const) : null;
    journal.append({ ...one, from }, saved);
    expect(replayJournal(await recordsIn(file), saved.saves)).toEqual({ ok: true, run: saved });
  }
  journal.close();
  expect(recordingOf(await recordsIn(file), end).ok).toBe(true);
}

async function recordsIn(file: string) {
  return readJournal((await journalText(file)) ?? "");
}
