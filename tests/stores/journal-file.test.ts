import { readFileSync } from "node:fs";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { readJournal } from "../../src/core/machine/journal.ts";
import { journalFile } from "../../src/stores/journal-file.ts";
import { describeJournal } from "../contracts/journal.ts";

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

const FAIL_ON_WARNING = (message: string) => {
  throw new Error(message);
};

describeJournal("journalFile", async () => {
  const file = await place();
  const journal = journalFile(file, FAIL_ON_WARNING);
  onTestFinished(() => {
    journal.close();
  });
  return { journal, written: () => readJournal(readFileSync(file, "utf8")).records };
});

describe("journalFile", () => {
  it("has each record on disk when append returns, private to its owner", async () => {
    const file = await place();
    const journal = journalFile(file, FAIL_ON_WARNING);

    journal.append(record(1));
    expect(readJournal(await readFile(file, "utf8")).records).toEqual([record(1)]);
    journal.append(record(2));
    journal.close();

    expect(readJournal(await readFile(file, "utf8")).records).toEqual([record(1), record(2)]);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  it("goes on behind a line that a crash has torn", async () => {
    const file = await place();
    journalFile(file, FAIL_ON_WARNING).append(record(1));
    await writeFile(file, `${await readFile(file, "utf8")}{"save":2,"upd`);

    const journal = journalFile(file, FAIL_ON_WARNING);
    journal.append(record(2));
    journal.close();

    const { records, torn } = readJournal(await readFile(file, "utf8"));
    expect(records).toEqual([record(1), record(2)]);
    expect(torn).toEqual([2]);
  });

  it("warns once where it cannot be written, and never throws", () => {
    const warnings: string[] = [];
    const journal = journalFile("/dev/null/runs/journal.jsonl", (message) =>
      warnings.push(message),
    );

    journal.append(record(1));
    journal.append(record(2));

    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain("/dev/null/runs/journal.jsonl");
  });
});
