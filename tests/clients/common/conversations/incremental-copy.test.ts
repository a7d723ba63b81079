import { execFile } from "node:child_process";
import { appendFile, mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  copyIncrementally,
  restoreFile,
} from "../../../../src/clients/common/conversations/incremental-copy.ts";
import { tempFolder } from "../../../support/folders.ts";
import { propertyRuns } from "../../../support/property-runs.ts";

const run = promisify(execFile);
const SOURCE = new URL(
  "../../../../src/clients/common/conversations/incremental-copy.ts",
  import.meta.url,
).href;
const anyText = fc.string({ unit: "grapheme-ascii", minLength: 1, maxLength: 60 });
const anyChange = fc.oneof(
  fc.record({ kind: fc.constant("append" as const), text: anyText }),
  fc.record({ kind: fc.constant("rewrite" as const), text: anyText }),
  fc.record({ kind: fc.constant("lose" as const) }),
);

async function two(): Promise<{ original: string; copy: string }> {
  const dir = await tempFolder();
  return { original: path.join(dir, "a.jsonl"), copy: path.join(dir, "copies", "b.jsonl") };
}

const read = (file: string) => readFile(file, "utf8").catch(() => null);

describe("keepFile", () => {
  it("copies the latest original, unless it is shorter than the copy", async () => {
    const { original, copy } = await two();
    await fc.assert(
      fc.asyncProperty(fc.array(anyChange, { minLength: 1, maxLength: 12 }), async (changes) => {
        await rm(original, { force: true });
        await rm(copy, { force: true });
        let last: string | null = null;
        for (const change of changes) {
          if (change.kind === "append") await appendFile(original, change.text);
          if (change.kind === "rewrite") await writeFile(original, change.text);
          if (change.kind === "lose") await rm(original, { force: true });
          // Another text of the same length to the byte is taken for no change.
          if ((await read(original))?.length === last?.length) await appendFile(original, "+");
          const now = await read(original);
          if (Buffer.byteLength(now ?? "") > Buffer.byteLength(last ?? "")) last = now;
          await copyIncrementally(original, copy);

          expect(await read(copy)).toBe(last);
        }
      }),
      { numRuns: propertyRuns(30) },
    );
  });

  it("appends only the new part", async () => {
    const { original, copy } = await two();
    const long = "x".repeat(3_000_000);
    await writeFile(original, long);
    await copyIncrementally(original, copy);
    const before = await stat(copy);

    await appendFile(original, "and more");
    await copyIncrementally(original, copy);

    expect(await read(copy)).toBe(`${long}and more`);
    expect((await stat(copy)).ino).toBe(before.ino);
  });

  it("makes a private copy in a private folder, and leaves nothing else there", async () => {
    const { original, copy } = await two();
    await writeFile(original, "text", { mode: 0o644 });

    await copyIncrementally(original, copy);

    expect((await stat(copy)).mode & 0o777).toBe(0o600);
    expect((await stat(path.dirname(copy))).mode & 0o777).toBe(0o700);
    expect(await readdir(path.dirname(copy))).toEqual(["b.jsonl"]);
  });

  it("keeps the copy if the original is empty", async () => {
    const { original, copy } = await two();
    await writeFile(original, "text");
    await copyIncrementally(original, copy);
    await writeFile(original, "");

    await copyIncrementally(original, copy);

    expect(await read(copy)).toBe("text");
  });

  it("leaves the copy unchanged if a write of the new part fails", async () => {
    const { original, copy } = await two();
    await writeFile(original, "x".repeat(1_000_000));
    await copyIncrementally(original, copy);
    await appendFile(original, "y".repeat(200_000));

    // The limit lets 48,576 bytes through.
    const limited = run("bash", [
      ...["-c", 'ulimit -f 1024; exec "$@"', "-", process.execPath, "--import"],
      ...[import.meta.resolve("tsx"), "--input-type=module", "--eval"],
      `const { copyIncrementally } = await import(${JSON.stringify(SOURCE)});
      await copyIncrementally(...${JSON.stringify([original, copy])});`,
    ]);

    await expect(limited).rejects.toThrow("EFBIG");
    expect((await stat(copy)).size).toBe(1_000_000);
  });

  it("copies the whole file if a crash has torn the copy", async () => {
    const { original, copy } = await two();
    await writeFile(original, "one\ntwo\nthree\n");
    await mkdir(path.dirname(copy));
    await writeFile(copy, "one\n\0\0\0\0");

    await copyIncrementally(original, copy);

    expect(await read(copy)).toBe("one\ntwo\nthree\n");
  });
});

describe("putBackFile", () => {
  it.each([
    ["is gone", null],
    ["is empty", ""],
    ["has lost its end", "one\ntw"],
  ])("puts the copy back where the original %s", async (_, left) => {
    const { original, copy } = await two();
    await mkdir(path.dirname(copy));
    await writeFile(copy, "one\ntwo\n");
    if (left !== null) await writeFile(original, left);

    expect(await restoreFile(copy, original)).toBe(true);
    expect(await read(original)).toBe("one\ntwo\n");
    expect((await stat(original)).mode & 0o777).toBe(0o600);
  });

  it.each([
    ["the same", "one\ntwo\n"],
    ["longer", "one\ntwo\nthree\n"],
    ["shorter, and another text", "uno\n"],
  ])("leaves an original that is %s", async (_, text) => {
    const { original, copy } = await two();
    await mkdir(path.dirname(copy));
    await writeFile(copy, "one\ntwo\n");
    await writeFile(original, text);

    expect(await restoreFile(copy, original)).toBe(false);
    expect(await read(original)).toBe(text);
  });

  it("does nothing where there is no copy", async () => {
    const { original, copy } = await two();

    expect(await restoreFile(copy, original)).toBe(false);
    expect(await read(original)).toBeNull();
  });
});
