import { mkdir, rename, rm, stat, symlink, utimes, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { folderScope } from "../../src/scopes/folder.ts";
import { describeScope } from "../contracts/scope.ts";
import { tempFolder } from "../support/folders.ts";

async function folderOf(files: Readonly<Record<string, string | Buffer>>): Promise<string> {
  const folder = path.join(await tempFolder(), "flow");
  await mkdir(folder);
  for (const [name, text] of Object.entries(files)) await writeFile(path.join(folder, name), text);
  return folder;
}

/** Some time after the files were written: younger files are always read again. */
const later = () => Date.now() + 10_000;

describeScope("folderScope", async (files) => folderScope(await folderOf(files)));

describe("folderScope", () => {
  it("refuses a schema that is a link out of the folder", async () => {
    const folder = await folderOf({ "A.md": "" });
    const outside = path.join(await tempFolder(), "a.schema.json");
    await writeFile(outside, "{}");
    await symlink(outside, path.join(folder, "a.schema.json"));

    await expect(folderScope(folder).schema("a.schema.json")).rejects.toThrow(
      /is a link out of the workflow's folder/,
    );
  });

  it("sees edits of a schema during a run", async () => {
    const folder = await folderOf({ "A.md": "", "a.schema.json": "true" });
    const scope = folderScope(folder, later);
    expect((await scope.schema("a.schema.json")).check("1")).toEqual([]);

    await writeFile(path.join(folder, "a.schema.json"), "false");

    expect((await scope.schema("a.schema.json")).check("1")).toHaveLength(1);
  });

  it("sees edits during a run", async () => {
    const folder = await folderOf({ "A.md": "old" });
    const scope = folderScope(folder);
    expect(await scope.load("A.md")).toMatchObject({ body: "old" });

    await writeFile(path.join(folder, "A.md"), "new");
    await writeFile(path.join(folder, "B.md"), "");

    expect(await scope.load("A.md")).toMatchObject({ body: "new" });
    expect(await scope.names()).toEqual(["A.md", "B.md"]);
  });

  it.runIf(process.platform !== "win32")("reads a state again only after a change", async () => {
    const folder = await folderOf({ "A.md": "old", "B.md": "" });
    const scope = folderScope(folder, later);
    const first = await scope.load("A.md");
    expect(await scope.load("A.md")).toBe(first);
    expect(await scope.names()).toBe(await scope.names());

    await writeFile(path.join(folder, "A.md"), "newer");
    await rm(path.join(folder, "B.md"));

    expect(await scope.load("A.md")).toMatchObject({ body: "newer" });
    expect(await scope.names()).toEqual(["A.md"]);
    await expect(scope.load("B.md")).rejects.toMatchObject({ code: "workflow/missing-state" });
  });

  it("sees a change within the same tick of the file system's clock", async () => {
    const folder = await folderOf({ "A.md": "0" });
    const scope = folderScope(folder);

    for (let n = 1; n < 10; n += 1) {
      expect(await scope.load("A.md")).toMatchObject({ body: String(n - 1) });
      await writeFile(path.join(folder, "A.md"), String(n));
      expect(await scope.load("A.md")).toMatchObject({ body: String(n) });
    }
  });

  it("sees that a file replaces another one of the same size and time", async () => {
    const folder = await folderOf({ "A.md": "old", ".A.md": "new" });
    const scope = folderScope(folder, later);
    const file = path.join(folder, "A.md");
    expect(await scope.load("A.md")).toMatchObject({ body: "old" });

    const { atime, mtime } = await stat(file);
    await utimes(path.join(folder, ".A.md"), atime, mtime);
    await rename(path.join(folder, ".A.md"), file);

    expect(await scope.load("A.md")).toMatchObject({ body: "new" });
  });

  it("sees a changed link target", async () => {
    const folder = await folderOf({ "A.md": "" });
    await mkdir(path.join(folder, "shared"));
    await symlink("shared/C.md", path.join(folder, "LINK.md"));
    const scope = folderScope(folder, later);
    expect(await scope.names()).toEqual(["A.md"]);

    await writeFile(path.join(folder, "shared", "C.md"), "one");
    expect(await scope.names()).toEqual(["A.md", "LINK.md"]);
    expect(await scope.load("LINK.md")).toMatchObject({ body: "one" });
    await writeFile(path.join(folder, "shared", "C.md"), "two");
    expect(await scope.load("LINK.md")).toMatchObject({ body: "two" });
  });

  it("ignores folders with a state's name, and broken links", async () => {
    const folder = await folderOf({ "A.md": "" });
    await mkdir(path.join(folder, "DIR.md"));
    await symlink(path.join(folder, "gone"), path.join(folder, "LINK.md"));

    expect(await folderScope(folder).names()).toEqual(["A.md"]);
  });

  it("follows a link inside the folder, and refuses one that leads out of it", async () => {
    const folder = await folderOf({ "A.md": "inside" });
    await mkdir(path.join(folder, "shared"));
    await writeFile(path.join(folder, "shared", "C.md"), "shared");
    await writeFile(path.join(folder, "..", "secret.md"), "secret");
    await symlink("A.md", path.join(folder, "SAME.md"));
    await symlink("shared/C.md", path.join(folder, "SHARED.md"));
    await symlink("../secret.md", path.join(folder, "OUT.md"));
    const scope = folderScope(folder);

    expect(await scope.load("SAME.md")).toMatchObject({ body: "inside" });
    expect(await scope.load("SHARED.md")).toMatchObject({ body: "shared" });
    await expect(scope.load("OUT.md")).rejects.toMatchObject({
      code: "workflow/unreadable-state",
      message: expect.stringContaining("is a link out of the workflow's folder") as string,
    });
  });

  it("may itself be reached by a link", async () => {
    const folder = await folderOf({ "A.md": "text" });
    const link = path.join(folder, "..", "link");
    await symlink(folder, link);

    expect(await folderScope(link).load("A.md")).toMatchObject({ body: "text" });
  });

  it("requires UTF-8 for prompts, and accepts any script", async () => {
    const latin = Buffer.from("caf\xe9", "latin1");
    const scope = folderScope(await folderOf({ "A.md": latin, "B.bat": latin }));

    await expect(scope.load("A.md")).rejects.toThrow("is not UTF-8 text");
    const wide = folderScope(await folderOf({ "A.md": Buffer.from("---\n", "utf16le") }));
    await expect(wide.load("A.md")).rejects.toThrow("is not UTF-8 text");
    expect(await scope.load("B.bat")).toMatchObject({ kind: "script" });
  });

  it("reports a missing folder", async () => {
    const folder = await folderOf({ "A.md": "" });
    await rm(folder, { recursive: true });

    await expect(folderScope(folder).names()).rejects.toMatchObject({
      code: "workflow/unreadable-folder",
    });
  });
});
