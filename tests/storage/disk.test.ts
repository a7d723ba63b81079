import { existsSync } from "node:fs";
import { lchown, mkdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nodeDisk, whileBusy } from "../../src/storage/disk.ts";
import { tempFolder } from "../support/folders.ts";

describe("nodeDisk", () => {
  it("creates a private folder with its parents, and returns the first new one", async () => {
    const root = await tempFolder();

    expect(await nodeDisk().makeFolder(join(root, "a", "b", "c"))).toBe(join(root, "a"));
    expect(await nodeDisk().makeFolder(join(root, "a", "b"))).toBeNull();
    expect((await stat(join(root, "a", "b", "c"))).mode & 0o777).toBe(0o700);
  });

  it("creates a folder that other processes create at the same time", async () => {
    const root = await tempFolder();
    const all = Array.from({ length: 20 }, () =>
      nodeDisk().makeFolder(join(root, "a", "b", "c", "d")),
    );

    // All calls succeed, and exactly one reports that it created each level.
    const made = (await Promise.all(all)).filter((each) => each !== null);
    expect(made).toContain(join(root, "a"));
    expect(new Set(made).size).toBe(made.length);
  });

  it("returns the owner of a link, and not of its target", async (test) => {
    if (process.getuid?.() !== 0) return test.skip("only root can make a link of another user");
    const root = await tempFolder();
    await symlink(root, join(root, "link"));
    await lchown(join(root, "link"), 12_345, 12_345);

    expect(await nodeDisk().entry(join(root, "link"))).toMatchObject({
      kind: "folder",
      owner: 12_345,
    });
  });

  it("rejects a file in place of the folder", async () => {
    const root = await tempFolder();
    await writeFile(join(root, "a"), "");

    await expect(nodeDisk().makeFolder(join(root, "a"))).rejects.toMatchObject({ code: "EEXIST" });
    await expect(nodeDisk().makeFolder(join(root, "a", "b"))).rejects.toMatchObject({
      code: "ENOTDIR",
    });
  });

  it("writes the parts of a text one after the other, of any length and in any language", async () => {
    const folder = await tempFolder();
    const part = fc.oneof(
      fc.string({ unit: "grapheme" }),
      // Around the size of the buffer.
      fc.integer({ min: 80_000, max: 400_000 }).map((length) => "aé€".repeat(length / 3)),
    );
    let files = 0;

    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 6 }), async (parts) => {
        files += 1;
        const file = join(folder, String(files));
        await nodeDisk().write(file, parts);
        expect(await readFile(file, "utf8")).toBe(parts.join(""));
      }),
      { numRuns: 50 },
    );
  });

  it("fails if the file system always reports a missing parent", async () => {
    const root = await tempFolder();
    await mkdir(join(root, "gone"));
    // Only Linux has such a file system; elsewhere a path with a NUL serves the same end.
    const place = existsSync("/proc/self") ? "/proc/raymond/x" : join(root, "gone", "\0");

    await expect(nodeDisk().makeFolder(place)).rejects.toThrow();
  });
});

describe("a file that another program has open, on Windows", () => {
  it.each(["EBUSY", "EPERM", "EACCES"])("is retried after %s", async (code) => {
    let left = 3;

    const done = await whileBusy(() => {
      left -= 1;
      if (left > 0) return Promise.reject(Object.assign(new Error(code), { code }));
      return Promise.resolve("done");
    });

    expect(done).toBe("done");
  });

  it("fails after two seconds with the last error, and immediately for other errors", async () => {
    const refused = (code: string) => () =>
      Promise.reject(Object.assign(new Error(code), { code }));
    const asked = performance.now();

    await expect(whileBusy(refused("ENOENT"))).rejects.toMatchObject({ code: "ENOENT" });
    expect(performance.now() - asked).toBeLessThan(1_900);
    await expect(whileBusy(refused("EBUSY"))).rejects.toMatchObject({ code: "EBUSY" });
    expect(performance.now() - asked).toBeGreaterThan(1_900);
  });
});
