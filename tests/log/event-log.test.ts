import { appendFile, mkdir, readFile, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Observer } from "../../src/engine/ports/observer.ts";
import { eventLog, lastSeq, MAX_TEXT } from "../../src/log/event-log.ts";
import { describeObserver } from "../contracts/observer.ts";
import { run } from "../support/runs.ts";
import { everyEvent, samples } from "./samples.ts";
import { stillClock, tempFolder } from "./temp.ts";

const noWarning = (message: string): void => {
  throw new Error(message);
};

const open = (file: string): Observer => eventLog(file, stillClock, noWarning);

async function seqs(file: string): Promise<readonly unknown[]> {
  const lines = (await readFile(file, "utf8")).split("\n").filter((line) => line !== "");
  return lines.map((line) => {
    try {
      return (JSON.parse(line) as { seq: number }).seq;
    } catch {
      return "torn";
    }
  });
}

async function logOf(file: string, times: number): Promise<void> {
  const log = open(file);
  const before = lastSeq(file);
  for (let n = 1; n <= times; n += 1) log.notify(samples["step.message"], run(), before + n);
  await log.close?.();
}

describeObserver(
  "eventLog",
  async () => open(join(await tempFolder(), "events.jsonl")),
  async () => {
    const dir = await tempFolder();
    await mkdir(join(dir, "events.jsonl"));
    return eventLog(join(dir, "events.jsonl"), stillClock, () => undefined);
  },
);

describe("eventLog", () => {
  it("writes one event a line, in order, into a private file in a private folder", async () => {
    const dir = join(await tempFolder(), "runs", "wf-1");
    const file = join(dir, "events.jsonl");
    const log = open(file);
    for (const [index, event] of everyEvent.entries()) log.notify(event, run(), index + 1);
    await log.close?.();

    expect(await seqs(file)).toEqual(everyEvent.map((_, index) => index + 1));
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(dir)).mode & 0o777).toBe(0o700);
  });

  it("returns the number of its last event, from which the next process continues", async () => {
    const file = join(await tempFolder(), "events.jsonl");
    await logOf(file, 3);
    await logOf(file, 2);

    expect(await seqs(file)).toEqual([1, 2, 3, 4, 5]);
  });

  it.each([
    ["within its text", 60, [1, 2, "torn", 4]],
    ["just behind its number", '{"type":"step.message","seq":3,'.length, [1, 2, "torn", 4]],
    ["before its number", '{"type":"step.message","seq":'.length, [1, 2, "torn", 3]],
  ])("ends a last line that was torn %s, and loses nothing else", async (_, kept, expected) => {
    const file = join(await tempFolder(), "events.jsonl");
    await logOf(file, 3);
    const line = (await stat(file)).size / 3;
    await truncate(file, 2 * line + kept);
    await logOf(file, 1);

    expect(await seqs(file)).toEqual(expected);
  });

  it("keeps 16 KiB of a message and of script output, with the original size", async () => {
    const file = join(await tempFolder(), "events.jsonl");
    const log = open(file);
    const text = "ü".repeat(20_000);
    log.notify({ ...samples["step.message"], text }, run(), 1);
    log.notify({ ...samples["step.output"], text: "short" }, run(), 2);
    await log.close?.();

    const lines = (await readFile(file, "utf8")).trimEnd().split("\n");
    const texts = lines.map((line) => (JSON.parse(line) as { text: string }).text);
    expect(texts).toEqual([`${"ü".repeat(8_192)}… (40000 bytes in all)`, "short"]);
  });

  it("finds the last number after a line longer than its read buffer", async () => {
    const file = join(await tempFolder(), "events.jsonl");
    await logOf(file, 2);
    await appendFile(file, "x".repeat(1_000_000));
    await logOf(file, 1);

    expect(await seqs(file)).toEqual([1, 2, "torn", 3]);
  });

  it("returns 0 for a file without events", async () => {
    const file = join(await tempFolder(), "events.jsonl");
    await writeFile(file, "not JSON\n");
    await logOf(file, 1);

    expect(await seqs(file)).toEqual(["torn", 1]);
  });

  it("shortens long texts and appends the original size", async () => {
    const file = join(await tempFolder(), "events.jsonl");
    const log = open(file);
    const result = "ä".repeat(100_000);
    log.notify({ ...samples["run.ended"], results: { main: result, other: "short" } }, run(), 1);
    await log.close?.();

    const { results } = JSON.parse(await readFile(file, "utf8")) as {
      results: { main: string; other: string };
    };
    expect(results.other).toBe("short");
    expect(results.main).toBe(`${"ä".repeat(MAX_TEXT / 2)}… (200000 bytes in all)`);
  });

  it("warns once, and names the file, when nothing can be written", async () => {
    const dir = await tempFolder();
    await writeFile(join(dir, "file"), "");
    const warnings: string[] = [];
    const file = join(dir, "file", "events.jsonl");
    const log = eventLog(file, stillClock, (message) => warnings.push(message));
    for (const [index, event] of everyEvent.entries()) log.notify(event, run(), index + 1);
    await log.close?.();

    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain(file);
  });
});
