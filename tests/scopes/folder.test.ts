import { mkdir, rm, symlink, writeFile } from "node:fs/promises";
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

describeScope("folderScope", async (files) => folderScope(await folderOf(files)));

describe("folderScope", () => {
  it("sees what an author changes while a run goes on", async () => {
    const folder = await folderOf({ "A.md": "old" });
    const scope = folderScope(folder);
    expect(await scope.load("A.md")).toMatchObject({ body: "old" });

    await writeFile(path.join(folder, "A.md"), "new");
    await writeFile(path.join(folder, "B.md"), "");

    expect(await scope.load("A.md")).toMatchObject({ body: "new" });
    expect(await scope.names()).toEqual(["A.md", "B.md"]);
  });

  it("takes no folder for a state, and no link that leads nowhere", async () => {
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
      message: expect.stringContaining("leads out of the workflow's folder") as string,
    });
  });

  it("may itself be reached by a link", async () => {
    const folder = await folderOf({ "A.md": "text" });
    const link = path.join(folder, "..", "link");
    await symlink(folder, link);

    expect(await folderScope(link).load("A.md")).toMatchObject({ body: "text" });
  });

  it("wants prompts in UTF-8, and leaves scripts to their interpreter", async () => {
    const latin = Buffer.from("caf\xe9", "latin1");
    const scope = folderScope(await folderOf({ "A.md": latin, "B.bat": latin }));

    await expect(scope.load("A.md")).rejects.toThrow("is not UTF-8 text");
    expect(await scope.load("B.bat")).toMatchObject({ kind: "script" });
  });

  it("says so when the folder is gone", async () => {
    const folder = await folderOf({ "A.md": "" });
    await rm(folder, { recursive: true });

    await expect(folderScope(folder).names()).rejects.toMatchObject({
      code: "workflow/unreadable-folder",
    });
  });
});
