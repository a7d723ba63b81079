import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { OutputFile } from "../../src/log/output-file.ts";
import { propertyRuns } from "../support/property-runs.ts";
import { tempFolder } from "./temp.ts";

function fail(error: unknown): never {
  throw error;
}

const GAP = /\[(\d+) left out\]\n/;

async function written(chunks: readonly string[], maxBytes: number, dir: string): Promise<string> {
  const path = join(dir, `out-${String(Math.random())}`);
  const file = new OutputFile(path, {
    maxBytes,
    leftOut: (bytes) => `[${String(bytes)} left out]\n`,
    failed: fail,
  });
  for (const [index, chunk] of chunks.entries()) {
    file.push(chunk);
    if (index % 3 === 2) await turn();
  }
  await file.close();
  return chunks.join("") === "" ? "" : readFile(path, "utf8");
}

describe("OutputFile", () => {
  it("keeps an output that fits as it is, however it was cut into chunks", async () => {
    const dir = await tempFolder();
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ maxLength: 20 }), { maxLength: 10 }),
        async (chunks) => {
          expect(await written(chunks, 10_000, dir)).toBe(chunks.join(""));
        },
      ),
      { numRuns: propertyRuns(40) },
    );
  });

  it("keeps the first and last whole lines of a long output, and the number of omitted bytes", async () => {
    const dir = await tempFolder();
    const line = fc
      .string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 12 })
      .map((s) => `${s}\n`);
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 60 }), async (lines) => {
        const whole = lines.join("");
        const kept = await written(lines, 100, dir);
        const [head = "", missing, tail = ""] = kept.split(GAP);

        expect(whole.startsWith(head)).toBe(true);
        if (missing === undefined) {
          expect(kept).toBe(whole);
        } else {
          expect(whole.endsWith(tail)).toBe(true);
          expect(head.length + Number(missing) + tail.length).toBe(whole.length);
          expect(head.endsWith("\n")).toBe(true);
          expect(head.length).toBeLessThanOrEqual(50);
          expect(tail.length).toBeLessThanOrEqual(50);
          expect(tail.length).toBeGreaterThanOrEqual(50 - 13);
        }
      }),
      { numRuns: propertyRuns(60) },
    );
  });

  it("keeps both ends of one line without an end", async () => {
    const kept = await written(["x".repeat(500), "y".repeat(500)], 100, await tempFolder());

    expect(kept).toBe(`${"x".repeat(50)}[900 left out]\n${"y".repeat(50)}`);
  });

  it("leaves no ring behind, and files that only their owner can read", async () => {
    const dir = await tempFolder();
    await written(
      Array.from({ length: 100 }, () => "0123456789\n"),
      100,
      dir,
    );

    const [name = "", ...others] = await readdir(dir);
    expect(others).toEqual([]);
    expect((await stat(join(dir, name))).mode & 0o777).toBe(0o600);
  });
});
