import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { closeSync, openSync } from "node:fs";
import { symlink, truncate, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import {
  hashOfRegularFile,
  openRegularFile,
  readRegularFile,
  readRegularFileSync,
} from "../../src/files/read-file.ts";
import { tempFolder } from "../support/folders.ts";

/** Both ways to read a file, as one. */
const READERS = [
  [
    "at once",
    async (file: string, most: number) => Promise.resolve(readRegularFileSync(file, most)),
  ],
  ["without blocking", readRegularFile],
] as const;

describe.each(READERS)("a file that is read %s", (_how, read) => {
  it.each([0, 1, 65_535, 65_536, 65_537, 300_000])("is whole, of %i bytes", async (size) => {
    const file = path.join(await tempFolder(), "file");
    const bytes = Buffer.alloc(size, "abc");
    await writeFile(file, bytes);

    expect((await read(file, size)).equals(bytes)).toBe(true);
  });

  it("is refused when it is larger than its limit, before it is read", async () => {
    const file = path.join(await tempFolder(), "file");
    await writeFile(file, "");
    // Without blocks on the disk; to read it would take minutes.
    await truncate(file, 2 ** 40);

    await expect(read(file, 4 * 2 ** 20)).rejects.toMatchObject({
      code: "EFBIG",
      message: `${file} is larger than 4.0 MiB`,
    });
  });

  it("enforces the limit for files without a size", async () => {
    if (process.platform !== "linux") return;

    expect((await read("/proc/self/status", 2 ** 20)).toString()).toContain("Pid:");
    await expect(read("/proc/self/status", 10)).rejects.toMatchObject({ code: "EFBIG" });
  });

  it.runIf(process.platform !== "win32")("is refused when it is no regular file", async () => {
    const dir = await tempFolder();
    const [zero, fifo] = [path.join(dir, "zero"), path.join(dir, "fifo")];
    await symlink("/dev/zero", zero);
    execFileSync("mkfifo", [fifo]);

    for (const file of [zero, fifo, dir]) {
      await expect(read(file, 2 ** 20)).rejects.toMatchObject({ code: "EFTYPE" });
    }
  });

  it("is reported as missing, with the error of node:fs", async () => {
    const file = path.join(await tempFolder(), "file");

    await expect(read(file, 10)).rejects.toMatchObject({ code: "ENOENT" });
  });
});

describe("openRegularFile", () => {
  it("leaves no descriptor open when it refuses", async () => {
    const dir = await tempFolder();
    const next = () => {
      const file = openSync(path.join(dir), "r");
      closeSync(file);
      return file;
    };
    const before = next();

    expect(() => openRegularFile(dir)).toThrow("is not a regular file");

    expect(next()).toBe(before);
  });
});

describe("the hash of a file", () => {
  it("covers the end of a file of 17 MiB", async () => {
    const file = path.join(await tempFolder(), "file");
    const bytes = Buffer.alloc(17 * 2 ** 20, "a");
    await writeFile(file, bytes);
    const before = hashOfRegularFile(file);
    bytes[bytes.length - 1] = 0;
    await writeFile(file, bytes);

    expect(hashOfRegularFile(file)).not.toBe(before);
    expect(hashOfRegularFile(file)).toBe(createHash("sha256").update(bytes).digest("hex"));
  });

  it("changes with a write to a file that is too large to hash", async () => {
    const file = path.join(await tempFolder(), "file");
    await writeFile(file, "");
    await truncate(file, 2 ** 40);
    const before = hashOfRegularFile(file);
    expect(hashOfRegularFile(file)).toBe(before);
    await truncate(file, 2 ** 40 + 1);

    expect(hashOfRegularFile(file)).not.toBe(before);
  });
});
