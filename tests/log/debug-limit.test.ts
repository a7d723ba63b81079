import { mkdir, readdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { debugFiles } from "../../src/log/debug-files.ts";
import { DebugLimit, type DebugLimits } from "../../src/log/debug-limit.ts";
import { propertyRuns } from "../support/property-runs.ts";
import { run } from "../support/runs.ts";
import { samples, script, step } from "./samples.ts";
import { stillClock, tempFolder } from "./temp.ts";

const NO_LIMIT: DebugLimits = { maxBytes: Infinity, maxSteps: Infinity };

function fail(error: unknown): never {
  throw error;
}

/** The files that a process leaves, as debug files are named. */
async function leave(dir: string, process: number, bytes: number): Promise<string> {
  const base = join(dir, `main_1_START_${String(process)}`);
  await writeFile(`${base}.meta.json`, "x".repeat(Math.ceil(bytes / 2)));
  if (bytes > 1) await writeFile(`${base}.jsonl`, "x".repeat(Math.floor(bytes / 2)));
  return base;
}

async function bytesIn(dir: string): Promise<number> {
  const sizes = await Promise.all(
    (await readdir(dir)).map(async (name) => (await stat(join(dir, name))).size),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

async function processesIn(dir: string): Promise<readonly number[]> {
  const names = (await readdir(dir)).map((name) => Number(/_(\d+)\.\w+/.exec(name)?.[1]));
  return [...new Set(names)].sort((a, b) => a - b);
}

describe("DebugLimit", () => {
  it("never lets more lie there than the limits and one step, also over resumes", async () => {
    const dir = await tempFolder();
    const anyStep = fc.record({ bytes: fc.integer({ min: 1, max: 400 }), resumed: fc.boolean() });
    const anyLimits = fc.record({
      maxBytes: fc.integer({ min: 1, max: 1_000 }),
      maxSteps: fc.integer({ min: 1, max: 6 }),
    });
    await fc.assert(
      fc.asyncProperty(
        anyLimits,
        fc.array(anyStep, { minLength: 1, maxLength: 14 }),
        async (limits, steps) => {
          await rm(dir, { recursive: true });
          await mkdir(dir);
          let limit = new DebugLimit(dir, limits, fail);
          let newest = 0;
          for (const [index, { bytes, resumed }] of steps.entries()) {
            if (resumed) limit = new DebugLimit(dir, limits, fail);
            const process = index + 1;
            limit.started(process);
            const base = await leave(dir, process, bytes);

            const most = Math.max(limits.maxBytes, newest) + bytes;
            expect(await bytesIn(dir)).toBeLessThanOrEqual(most);
            newest = bytes;
            limit.ended(process, base);
            await limit.settle();

            const kept = await processesIn(dir);
            const left = await bytesIn(dir);
            // The newest ones are there without a gap, and as many as fit.
            expect(kept).toEqual(kept.map((_, n) => process - kept.length + 1 + n));
            expect(kept.at(-1)).toBe(process);
            expect(kept.length).toBeLessThanOrEqual(limits.maxSteps);
            if (kept.length > 1) expect(left).toBeLessThanOrEqual(limits.maxBytes);
            else expect(left).toBeLessThanOrEqual(Math.max(limits.maxBytes, bytes));
          }
        },
      ),
      { numRuns: propertyRuns(25) },
    );
  });

  it("removes nothing while there is room", async () => {
    const dir = await tempFolder();
    const limit = new DebugLimit(dir, { maxBytes: 30, maxSteps: 3 }, fail);
    for (const process of [1, 2, 3]) {
      limit.started(process);
      limit.ended(process, await leave(dir, process, 10));
    }
    await limit.settle();

    expect(await processesIn(dir)).toEqual([1, 2, 3]);
  });

  it("counts by the number of the step, and not by when it ended", async () => {
    const dir = await tempFolder();
    const limit = new DebugLimit(dir, { ...NO_LIMIT, maxSteps: 2 }, fail);
    for (const process of [1, 2, 3, 4]) limit.started(process);
    for (const process of [4, 2, 3, 1]) limit.ended(process, await leave(dir, process, 10));
    await limit.settle();

    expect(await processesIn(dir)).toEqual([3, 4]);
  });

  it("keeps the files of running steps, and other files", async () => {
    const dir = await tempFolder();
    await writeFile(join(dir, "transitions.log"), "x".repeat(1_000));
    await writeFile(join(dir, "notes_7.txt"), "mine");
    await leave(dir, 3, 10);
    const limit = new DebugLimit(dir, { maxBytes: 5, maxSteps: 1 }, fail);
    limit.started(4);
    limit.started(5);
    await leave(dir, 4, 10);
    limit.ended(5, await leave(dir, 5, 10));
    await limit.settle();

    expect((await readdir(dir)).sort()).toEqual([
      "main_1_START_4.jsonl",
      "main_1_START_4.meta.json",
      "main_1_START_5.jsonl",
      "main_1_START_5.meta.json",
      "notes_7.txt",
      "transitions.log",
    ]);
  });

  it("removes partial outputs of a crash too", async () => {
    const dir = await tempFolder();
    await writeFile(join(dir, "main_A_1.stdout.txt"), "x");
    await writeFile(join(dir, "main_A_1.stdout.txt.tail"), "x");
    const limit = new DebugLimit(dir, { ...NO_LIMIT, maxSteps: 1 }, fail);
    limit.started(2);
    limit.ended(2, await leave(dir, 2, 10));
    await limit.settle();

    expect(await processesIn(dir)).toEqual([2]);
  });

  it("does nothing without a folder, or without a started step", async () => {
    const dir = join(await tempFolder(), "none");
    const idle = new DebugLimit(dir, NO_LIMIT, fail);
    await idle.settle();
    const limit = new DebugLimit(dir, NO_LIMIT, fail);
    limit.started(9);
    limit.ended(9, join(dir, "main_A_9"));
    await limit.settle();

    await expect(readdir(dir)).rejects.toThrow("ENOENT");
  });
});

describe("debugFiles with limits", () => {
  it("keeps the newest steps and all transitions", async () => {
    const dir = join(await tempFolder(), "wf-1");
    const limits = { maxBytes: 1_000_000, maxSteps: 3 };
    for (const processes of [
      [1, 2, 3],
      [4, 5],
    ]) {
      const debug = debugFiles(dir, { clock: stillClock, warn: fail, limits });
      for (const process of processes) {
        debug.recorder(step({ process, file: script })).stdout(Buffer.from("hello"));
        debug.notify({ ...samples["step.ended"], kind: "script", process }, run(), 1);
        debug.notify(samples["agent.moved"], run(), 1);
      }
      await debug.close();
    }

    expect((await readdir(dir)).sort()).toEqual([
      "main_TEST_3.meta.json",
      "main_TEST_3.stdout.txt",
      "main_TEST_4.meta.json",
      "main_TEST_4.stdout.txt",
      "main_TEST_5.meta.json",
      "main_TEST_5.stdout.txt",
      "transitions.log",
    ]);
  });
});
