import { mkdir, readFile, rm, rmdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AppendFile } from "../../src/log/append-file.ts";
import { BackgroundQueue } from "../../src/log/background-queue.ts";
import { propertyRuns } from "../support/property-runs.ts";
import { until } from "../support/until.ts";
import { tempFolder } from "./temp.ts";

describe("AppendFile", () => {
  it("creates nothing when nothing is written", async () => {
    const dir = await tempFolder();
    const file = new AppendFile(join(dir, "new", "log"), () => undefined);
    await file.close();

    await expect(rmdir(join(dir, "new"))).rejects.toThrow("ENOENT");
  });

  it("reports a failure, and retries with later lines", async () => {
    const path = join(await tempFolder(), "log");
    await mkdir(path);
    let fail: (error: unknown) => void = () => undefined;
    const failure = new Promise<unknown>((resolve) => {
      fail = resolve;
    });
    const file = new AppendFile(path, (error) => {
      fail(error);
    });
    file.append("lost\n");

    expect(await failure).toMatchObject({ code: "EISDIR" });
    await rm(path, { recursive: true });
    file.append("kept\n");
    await file.close();
    expect(await readFile(path, "utf8")).toBe("kept\n");
  });

  it("begins on a line of its own in a file that ends within one", async () => {
    const path = join(await tempFolder(), "log");
    await writeFile(path, "half a li");
    const file = new AppendFile(path, () => undefined, true);
    file.append("whole\n");
    await file.close();

    expect(await readFile(path, "utf8")).toBe("half a li\nwhole\n");
  });

  it("creates its file again if it was deleted", async () => {
    const dir = await tempFolder();
    const path = join(dir, "run", "log");
    const file = new AppendFile(path, (error) => {
      throw error;
    });
    file.append("one\n");
    await until("the first line", () => readFile(path, "utf8").catch(() => undefined));
    await rm(join(dir, "run"), { recursive: true });
    file.append("two\n");
    await file.close();

    expect(await readFile(path, "utf8")).toBe("two\n");
  });

  it("does nothing after it was closed", async () => {
    const path = join(await tempFolder(), "log");
    const file = new AppendFile(path, () => undefined);
    file.append("one\n");
    await file.close();
    file.append("two\n");
    await file.close();

    expect(await readFile(path, "utf8")).toBe("one\n");
  });
});

describe("BackgroundQueue", () => {
  it("writes everything in order and never two batches at once", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.string(), { maxLength: 50 }), async (texts) => {
        let written = "";
        let writing = 0;
        const queue = new BackgroundQueue({
          write: async (batch) => {
            writing += 1;
            expect(writing).toBe(1);
            await Promise.resolve();
            written += batch.toString();
            writing -= 1;
          },
          failed: () => undefined,
          maxBytes: 1_000_000,
          lost: () => "",
        });
        for (const [index, text] of texts.entries()) {
          queue.push(text);
          if (index % 7 === 0) await Promise.resolve();
        }
        await queue.drain();

        expect(written).toBe(Buffer.from(texts.join("")).toString());
      }),
      { numRuns: propertyRuns(30) },
    );
  });

  it("limits pending data, and reports the dropped bytes", async () => {
    const batches: string[] = [];
    const queue = new BackgroundQueue({
      write: (batch) => {
        batches.push(batch.toString());
        return Promise.resolve();
      },
      failed: () => undefined,
      maxBytes: 10,
      lost: (bytes) => `[${String(bytes)} lost]`,
    });
    for (const text of ["12345", "67890", "dropped", "again"]) queue.push(text);
    await queue.drain();

    expect(batches.join("")).toBe("1234567890[12 lost]");
  });

  it("continues after a failed write", async () => {
    const written: string[] = [];
    const failures: unknown[] = [];
    const queue = new BackgroundQueue({
      write: (batch) => {
        if (batch.toString() === "bad") return Promise.reject(new Error("ENOSPC"));
        written.push(batch.toString());
        return Promise.resolve();
      },
      failed: (error) => failures.push(error),
      maxBytes: 10,
      lost: () => "",
    });
    queue.push("bad");
    await queue.drain();
    queue.push("good");
    await queue.drain();

    expect(failures).toEqual([new Error("ENOSPC")]);
    expect(written).toEqual(["good"]);
  });
});
