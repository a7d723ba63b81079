import { createHash } from "node:crypto";
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Platform } from "../../src/language/workflow/files/platform.ts";
import {
  readArchivedState,
  readArchive as readArchiveOn,
  unpackArchive,
} from "../../src/scopes/archive.ts";
import { folderScope } from "../../src/scopes/folder.ts";
import { describeScope } from "../contracts/scope.ts";
import { centralEntryOf, renamed, zipOf } from "../support/disk/zips.ts";
import { tempFolder } from "../support/folders.ts";
import { propertyRuns } from "../support/property-runs.ts";

async function saved(zip: Buffer, name = "flow.zip"): Promise<string> {
  const file = path.join(await tempFolder(), name);
  await writeFile(file, zip);
  return file;
}

function readArchive(file: string, platform: Platform = "unix") {
  return readArchiveOn(file, platform);
}

/** The zip after its list of contents was changed at this entry. */
function changed(zip: Buffer, name: string, change: (zip: Buffer, at: number) => void): Buffer {
  const copy = Buffer.from(zip);
  change(copy, centralEntryOf(copy, name));
  return copy;
}

const START = { "START.md": "go" };

describeScope("an unpacked zip", async (files) => {
  const archive = await readArchive(await saved(zipOf(files)));
  return folderScope(await unpackArchive(archive, path.join(await tempFolder(), "scope")));
});

describe("readArchive", () => {
  it.each([
    ["a<b.md", "contains <"],
    ["a>b.md", "contains >"],
    ["START.md:more", "contains :"],
    ['a"b.md', 'contains "'],
    ["a|b.md", "contains |"],
    ["a?.md", "contains ?"],
    ["*.md", "contains *"],
    ["a\tb.md", "contains a control character"],
    ["lib./tool.py", "ends with a dot or a space"],
    ["WORK.md ", "ends with a dot or a space"],
    ["con", "is a device name"],
    ["NUL.md", "is a device name"],
    ["lib/Com1.txt.bak", "is a device name"],
    ["LPT\u00b2", "is a device name"],
    ["aux .md", "is a device name"],
  ])("refuses %j on Windows, and only there", async (name, words) => {
    const zip = await saved(zipOf({ ...START, [name]: "" }));

    const refused: unknown = await readArchive(zip, "windows").catch((error: unknown) => error);

    expect(refused).toMatchObject({
      code: "workflow/bad-archive",
      message: expect.stringContaining(`, which ${words}, so Windows cannot create it.`) as string,
      hint: expect.stringContaining("Rename it") as string,
    });
    expect((await readArchive(zip, "unix")).names).toContain("START.md");
  });

  it.each(["console.md", "COM10", "nulls.md", "a.con", "lib/.hidden", "größe 日本.md", "a b.md"])(
    "accepts %j on Windows too",
    async (name) => {
      const zip = await saved(zipOf({ ...START, [name]: "" }));

      expect((await readArchive(zip, "windows")).names).toContain("START.md");
    },
  );

  it("finds states at the top", async () => {
    const zip = zipOf({ ...START, "lib/tool.py": "", "lib/NOT.md": "" });

    const archive = await readArchive(await saved(zip));

    expect(archive).toMatchObject({ prefix: "", names: ["START.md"] });
    expect(archive.sha256).toBe(createHash("sha256").update(zip).digest("hex"));
    expect(archive.bytes).toEqual(zip);
  });

  it("finds states in the only top folder, and ignores metadata of systems", async () => {
    const zip = zipOf({
      "flow/": "",
      "flow/START.md": "go",
      "flow/step.sh": "",
      "__MACOSX/flow/._START.md": "",
      ".DS_Store": "",
      "flow/.hidden.md": "",
      LICENSE: "",
    });

    const archive = await readArchive(await saved(zip));

    expect(archive).toMatchObject({ prefix: "flow/", names: ["START.md", "step.sh"] });
    expect(readArchivedState(archive, "START.md")).toBe("go");
    expect(() => readArchivedState(archive, "../START.md")).toThrow("not found in");
  });

  it.each<[string, Buffer, string, string]>([
    ["an empty file", Buffer.alloc(0), "is an empty file", "fetch it again"],
    ["half a zip", zipOf(START).subarray(0, 60), "is not a zip, or is truncated", "fetch it again"],
    [
      "text alone",
      zipOf({ "a.txt": "" }),
      "it contains no states.",
      "end in .md, .sh, .bat or .ps1",
    ],
    [
      "text in one folder",
      zipOf({ "a.txt": "", "x/b.txt": "" }),
      "neither at its top nor in its only top folder, x.",
      "end in .md, .sh, .bat or .ps1",
    ],
    [
      "states too deep",
      zipOf({ "x/y/START.md": "" }),
      "neither at its top nor in its only top folder, x.",
      "Pack only x/y, which contains states.",
    ],
    [
      "two workflows",
      zipOf({ "x/START.md": "", "y/START.md": "" }),
      "contains no states at its top, but 2 folders (x, y).",
      "Pack each workflow into a zip of its own: x, y contain states.",
    ],
    [
      "a workflow and another folder",
      zipOf({ "x/START.md": "", "data/a.txt": "" }),
      "contains no states at its top, but 2 folders (x, data).",
      "Pack only x",
    ],
    ["a link", zipOf({ "l.md": "" }, { "l.md": 0o120777 }), "symbolic link", "without -y"],
    ["an absolute name", zipOf({ ...START, "/e": "" }), "absolute path", "cd FOLDER && zip -r"],
    [
      "a password",
      changed(zipOf(START), "START.md", (zip, at) => zip.writeUInt16LE(1, at + 8)),
      "which is encrypted",
      "without a password",
    ],
  ])("explains what is wrong with %s, and how to fix it", async (_, zip, message, hint) => {
    const refused: unknown = await readArchive(await saved(zip)).catch((error: unknown) => error);

    expect(refused).toMatchObject({
      message: expect.stringContaining(message) as string,
      hint: expect.stringContaining(hint) as string,
    });
  });

  it.each<[string, Buffer, string]>([
    ["nothing", Buffer.alloc(0), "is an empty file"],
    ["no entry", zipOf({}), "is empty"],
    ["what is no zip", Buffer.from("hello".repeat(100)), "is not a zip, or is truncated"],
    ["half a zip", zipOf({ "START.md": "go".repeat(99) }).subarray(0, 60), "is not a zip"],
    ["no states", zipOf({ "a.txt": "", "x/b.txt": "" }), "contains no states"],
    ["states in two folders", zipOf({ "x/START.md": "", "y/START.md": "" }), "contains no states"],
    ["states too deep", zipOf({ "x/y/START.md": "" }), "contains no states"],
    ["a way out", zipOf({ ...START, "../evil.sh": "" }), "is outside the zip"],
    ["a way out further down", zipOf({ ...START, "a/../../evil.sh": "" }), "is outside the zip"],
    ["an absolute name", zipOf({ ...START, "/etc/evil": "" }), "is an absolute path"],
    ["a drive", zipOf({ ...START, "C:evil.md": "" }), "is an absolute path"],
    ["a backslash", zipOf({ ...START, "a\\b.md": "" }), "names with \\"],
    [
      "a link",
      zipOf({ ...START, "l.md": "/etc/passwd" }, { "l.md": 0o120777 }),
      '"l.md", which is a symbolic link',
    ],
    ["a device", zipOf({ ...START, d: "" }, { d: 0o020666 }), "is not a regular file"],
    [
      "a name given twice",
      renamed(zipOf({ ...START, "AA.md": "1", "BB.md": "2" }), "BB.md", "AA.md"),
      'two entries for "AA.md"',
    ],
    [
      "a name given twice in two spellings",
      zipOf({ ...START, "\u00c9.md": "", "E\u0301.md": "" }),
      "same file on macOS and Windows",
    ],
    ["a file that is also a folder", zipOf({ ...START, a: "", "a/b": "" }), 'two entries for "a"'],
    [
      "names that differ in nothing but case",
      zipOf({ ...START, "Work.md": "", "WORK.md": "" }),
      'same file on macOS and Windows: "Work.md" and "WORK.md"',
    ],
    [
      "folders that differ in nothing but case",
      zipOf({ ...START, "lib/a.py": "", "Lib/b.py": "" }),
      'same file on macOS and Windows: "lib" and "Lib"',
    ],
    [
      "a file and a folder that differ in nothing but case",
      zipOf({ ...START, lib: "", "LIB/b.py": "" }),
      'same file on macOS and Windows: "lib" and "LIB"',
    ],
    [
      "an encrypted entry",
      changed(zipOf(START), "START.md", (zip, at) => zip.writeUInt16LE(1, at + 8)),
      '"START.md", which is encrypted',
    ],
    [
      "an exotic method",
      changed(zipOf(START), "START.md", (zip, at) => zip.writeUInt16LE(93, at + 10)),
      "method 93",
    ],
    [
      "another size than promised",
      changed(zipOf(START), "START.md", (zip, at) => zip.writeUInt32LE(1, at + 24)),
      "is damaged at START.md",
    ],
    [
      "another checksum than promised",
      changed(zipOf(START), "START.md", (zip, at) => zip.writeUInt32LE(7, at + 16)),
      "is damaged at START.md",
    ],
    [
      "two names for one entry",
      changed(zipOf(START), "START.md", (zip, at) => zip.write("OTHER", at + 46)),
      "is damaged at OTHER.md",
    ],
    [
      "more than 2,000 entries",
      zipOf(Object.fromEntries(Array.from({ length: 2_001 }, (_, n) => [`${String(n)}.md`, ""]))),
      "has 2,001 entries; the maximum is 2,000",
    ],
    [
      "more than 64 MiB",
      zipOf({ ...START, big: "\0".repeat(65 * 1024 * 1024) }),
      "unpacks to 66 MiB; the maximum is 64 MiB",
    ],
  ])("rejects a zip with %s", async (_, zip, message) => {
    const file = await saved(zip);

    const refusal = readArchive(file);

    await expect(refusal).rejects.toMatchObject({ code: "workflow/bad-archive" });
    await expect(refusal).rejects.toThrow(message);
    await expect(refusal).rejects.toThrow(file);
  });

  it("does not unpack a bomb that promises to be small", async () => {
    const zip = zipOf({ ...START, big: "\0".repeat(60 * 1024 * 1024) });
    const lying = changed(zip, "big", (copy, at) => copy.writeUInt32LE(10, at + 24));
    const file = await saved(lying);
    const before = process.memoryUsage().arrayBuffers;

    await expect(readArchive(file)).rejects.toThrow("is damaged at big");

    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(8 * 1024 * 1024);
  });

  it("accepts 2,000 entries", async () => {
    const files = Object.fromEntries(
      Array.from({ length: 2_000 }, (_, n) => [`${String(n)}.md`, ""]),
    );

    expect((await readArchive(await saved(zipOf(files)))).names).toHaveLength(2_000);
  });

  it("holds a file name to the one hash that it promises, in any case", async () => {
    const zip = zipOf(START);
    const hash = createHash("sha256").update(zip).digest("hex");
    const other = "0".repeat(64);

    for (const name of [
      `flow-${hash}.zip`,
      `${hash.toUpperCase()}.zip`,
      `${hash}-${other}.zip`,
      `${other}0.zip`,
    ]) {
      await expect(readArchive(await saved(zip, name))).resolves.toMatchObject({ sha256: hash });
    }
    await expect(readArchive(await saved(zip, `flow-${other}.zip`))).rejects.toThrow(
      "its name contains another one",
    );
  });

  it("rejects or unpacks any damaged zip, and never crashes", async () => {
    const zip = zipOf({ ...START, "lib/tool.py": "print()\n".repeat(20) });
    await fc.assert(
      fc.asyncProperty(
        fc.nat({ max: zip.length - 1 }),
        fc.integer({ min: 1, max: 255 }),
        async (at, flip) => {
          const damaged = Buffer.from(zip);
          damaged[at] = (damaged[at] ?? 0) ^ flip;
          const outcome: unknown = await readArchive(await saved(damaged)).catch(
            (error: unknown) => error,
          );

          if (outcome instanceof Error) {
            expect(outcome).toMatchObject({ code: "workflow/bad-archive" });
          }
        },
      ),
      { numRuns: propertyRuns(300) },
    );
  });
});

describe("unpackArchive", () => {
  it("restores every file, for the owner only, executable if it was", async () => {
    const zip = zipOf(
      { "flow/START.md": "go", "flow/run.sh": "#!", "flow/lib/a.py": "é", "flow/empty/": "" },
      { "flow/run.sh": 0o100755 },
    );
    const archive = await readArchive(await saved(zip));
    const dir = path.join(await tempFolder(), "scope");

    const scope = await unpackArchive(archive, dir);

    expect(scope).toBe(path.join(dir, "flow"));
    expect((await readdir(scope, { recursive: true })).sort()).toEqual([
      "START.md",
      "empty",
      "lib",
      "lib/a.py",
      "run.sh",
    ]);
    expect(await readFile(path.join(scope, "lib", "a.py"), "utf8")).toBe("é");
    expect((await stat(path.join(scope, "START.md"))).mode & 0o777).toBe(0o600);
    expect((await stat(path.join(scope, "run.sh"))).mode & 0o777).toBe(0o700);
    expect((await stat(scope)).mode & 0o777).toBe(0o700);
  });

  it("replaces the files of an interrupted start", async () => {
    const archive = await readArchive(await saved(zipOf(START)));
    const dir = path.join(await tempFolder(), "scope");
    await unpackArchive(await readArchive(await saved(zipOf({ "OLD.md": "" }))), dir);

    await unpackArchive(archive, dir);

    expect(await readdir(dir)).toEqual(["START.md"]);
    expect(await readdir(path.dirname(dir))).toEqual(["scope"]);
  });

  it("restores any packed contents", async () => {
    const name = fc.stringMatching(/^[a-zA-Z0-9_ äß€-]{1,12}\.(md|sh|bat|txt)$/);
    await fc.assert(
      fc.asyncProperty(fc.dictionary(name, fc.string({ unit: "binary" })), async (files) => {
        const archive = await readArchive(await saved(zipOf({ ...files, ...START })));
        const dir = await unpackArchive(archive, path.join(await tempFolder(), "scope"));

        for (const [file, text] of Object.entries({ ...files, ...START })) {
          expect(await readFile(path.join(dir, file), "utf8")).toBe(text);
        }
      }),
      { numRuns: propertyRuns(30) },
    );
  });
});
