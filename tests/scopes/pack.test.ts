import {
  chmod,
  mkdir,
  mkdtemp,
  readFile,
  stat,
  symlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { readArchive, unpackArchive } from "../../src/scopes/archive.ts";
import { packFolder, writePacked } from "../../src/scopes/pack.ts";
import { tempFolder } from "../support/folders.ts";

const FILES = {
  "START.sh": 'cat "$RAYMOND_STATE_DIR/data/word.txt"\n',
  "END.md": "Stop.\n",
  "data/word.txt": "carried along",
  "workflow.yaml": "description: says a word\n",
};

/** A folder `flow` of these files, written in this order. */
async function folderOf(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = path.join(await mkdtemp(path.join(await tempFolder(), "x")), "flow");
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(folder, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  return folder;
}

describe("packFolder", () => {
  it("produces the same bytes for the same files, in any order and at any time", async () => {
    const one = await folderOf(FILES);
    const other = await folderOf(Object.fromEntries(Object.entries(FILES).reverse()));
    await utimes(path.join(other, "END.md"), 1, 1);
    await mkdir(path.join(other, "empty"));

    const [first, second] = [await packFolder(one, "unix"), await packFolder(other, "unix")];

    expect(second.sha256).toBe(first.sha256);
    expect(first.sha256).toBe("3f97133732351d4826f157bd0ab084c4b2655c41f27975baa87d50a8477603db");
  });

  it("is read as the same workflow, with the files of its scripts", async () => {
    const packed = await packFolder(await folderOf(FILES), "unix");
    const file = await writePacked(packed, await tempFolder());

    expect(path.basename(file)).toBe(`flow-${packed.sha256}.zip`);
    const archive = await readArchive(file, "unix");
    expect(archive).toMatchObject({ names: ["END.md", "START.sh"], prefix: "" });
    const unpacked = await unpackArchive(archive, path.join(await tempFolder(), "unpacked"));
    for (const [name, text] of Object.entries(FILES)) {
      expect(await readFile(path.join(unpacked, name), "utf8")).toBe(text);
    }
  });

  it("keeps executable bits", async () => {
    const folder = await folderOf(FILES);
    const plain = await packFolder(folder, "unix");
    await chmod(path.join(folder, "data/word.txt"), 0o700);

    const packed = await packFolder(folder, "unix");

    expect(packed.sha256).not.toBe(plain.sha256);
    const file = await writePacked(packed, await tempFolder());
    const dir = await unpackArchive(await readArchive(file, "unix"), path.join(folder, "../out"));
    expect((await stat(path.join(dir, "data/word.txt"))).mode & 0o777).toBe(0o700);
    expect((await stat(path.join(dir, "START.sh"))).mode & 0o777).toBe(0o600);
  });

  it("lists the hidden files that it omits", async () => {
    const folder = await folderOf({ ...FILES, ".env": "secret", "data/.cache": "x" });

    const { files, leftOut } = await packFolder(folder, "unix");

    expect(files).toEqual(["END.md", "START.sh", "data/word.txt", "workflow.yaml"]);
    expect(leftOut).toEqual([".env"]);
  });

  it("packs the target of a link, unless it is outside", async () => {
    const folder = await folderOf(FILES);
    await symlink("data/word.txt", path.join(folder, "word.txt"));
    const { files } = await packFolder(folder, "unix");
    await symlink("/etc/hosts", path.join(folder, "hosts"));

    expect(files).toContain("word.txt");
    await expect(packFolder(folder, "unix")).rejects.toMatchObject({
      code: "workflow/not-packed",
      message: expect.stringContaining("contains the link hosts") as unknown,
    });
  });

  it.each([
    ["names that are one on some disks", { "start.SH": "x" }, "workflow/not-packed"],
    ["more than may be unpacked", manyFiles(), "workflow/not-packed"],
    ["front matter that cannot be read", { "END.md": "---\nmodel: [\n---\n" }, "lint/RAY102"],
    ["a workflow.yaml that cannot be read", { "workflow.yaml": "notify: rm" }, "lint/RAY102"],
  ])("rejects what a run of the zip would reject: %s", async (_, more, code) => {
    const folder = await folderOf({ ...FILES, ...more });

    await expect(packFolder(folder, "unix")).rejects.toMatchObject({
      code: expect.stringContaining(code) as unknown,
    });
  });

  it.each([
    ["a file", "START.sh", "workflow/not-a-workflow"],
    ["a folder without states", "data", "workflow/not-a-workflow"],
    ["nothing", "gone", "workflow/not-found"],
  ])("rejects a path that is not a workflow folder: %s", async (_, name, code) => {
    const folder = await folderOf(FILES);

    await expect(packFolder(path.join(folder, name), "unix")).rejects.toMatchObject({ code });
  });
});

describe("writePacked", () => {
  it("accepts an existing identical zip, and overwrites nothing else", async () => {
    const packed = await packFolder(await folderOf(FILES), "unix");
    const place = await tempFolder();
    const file = await writePacked(packed, place);
    const { mtimeMs } = await stat(file);

    expect(await writePacked(packed, place)).toBe(file);
    expect((await stat(file)).mtimeMs).toBe(mtimeMs);
    await writeFile(file, "mine");
    await expect(writePacked(packed, place)).rejects.toMatchObject({
      code: "workflow/pack-target",
    });
    expect(await readFile(file, "utf8")).toBe("mine");
  });

  it("rejects a name with another hash, and a place in the folder itself", async () => {
    const folder = await folderOf(FILES);
    const packed = await packFolder(folder, "unix");
    const wrong = path.join(await tempFolder(), `flow-${"0".repeat(64)}.zip`);

    for (const place of [wrong, folder, path.join(folder, "data", "w.zip")]) {
      await expect(writePacked(packed, place)).rejects.toMatchObject({
        code: "workflow/pack-target",
      });
    }
  });

  it("rejects an endless device, a broken link and a missing folder", async () => {
    const packed = await packFolder(await folderOf(FILES), "unix");
    const around = await tempFolder();
    const broken = path.join(around, "broken.zip");
    await symlink("nowhere", broken);

    for (const place of ["/dev/zero", broken, path.join(around, "gone", "w.zip")]) {
      await expect(writePacked(packed, place)).rejects.toMatchObject({
        code: "workflow/pack-target",
      });
    }
  });

  it("has one hash, also if the folder name contains another", async () => {
    const folder = await folderOf(FILES);
    const packed = { ...(await packFolder(folder, "unix")), folder: `/x/flow-${"0".repeat(64)}` };

    const file = await writePacked(packed, await tempFolder());

    expect(path.basename(file)).toBe(`flow-${packed.sha256}.zip`);
  });
});

function manyFiles(): Readonly<Record<string, string>> {
  return Object.fromEntries(Array.from({ length: 2_001 }, (_, at) => [`data/${String(at)}`, ""]));
}
