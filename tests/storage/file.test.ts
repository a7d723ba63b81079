import { mkdir, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { nodeDisk } from "../../src/storage/disk.ts";
import { fileStore } from "../../src/storage/file.ts";
import { describeStore } from "../contracts/store.ts";
import { agent } from "../support/agents.ts";
import { failingDisk } from "../support/disk/failing-disk.ts";
import { tempFolder } from "../support/folders.ts";
import { run } from "../support/runs.ts";

const ID = run().id;
const LONG = "x".repeat(70_000);
const LONGER = "y".repeat(80_000);

const newRoot = async () => path.join(await tempFolder(), ".raymond");
const stateFile = (root: string) => path.join(root, "workflows", `${ID}.json`);
const payloads = (root: string) => path.join(root, "runs", ID, "payloads");

describeStore("fileStore", newRoot, (root) => fileStore(root));

describe("fileStore", () => {
  it("makes everything for the owner only, and keeps runs out of git", async () => {
    const root = await newRoot();
    await fileStore(root).save(run({ results: { main: LONG } }), 0);

    const files = (await readdir(root, { recursive: true, withFileTypes: true })).map((each) =>
      path.join(each.parentPath, each.name),
    );
    for (const file of [root, ...files]) {
      const found = await stat(file);
      expect([file, found.mode & 0o777]).toEqual([file, found.isDirectory() ? 0o700 : 0o600]);
    }
    expect(await readFile(path.join(root, ".gitignore"), "utf8")).toMatch(/^\*\n!config\.toml\n$/m);
  });

  it("lists a run that ends meanwhile as it has ended, not as crashed", async () => {
    const root = await newRoot();
    const store = fileStore(root);
    await store.save(run(), 0);
    await (await store.lock(ID)).release();
    let ended = false;
    const disk = nodeDisk();
    const names: typeof disk.names = async (folder) => {
      // The process that drives the run saves it before it releases the lock.
      if (!ended && path.basename(folder) === ID) {
        ended = true;
        await store.save(run({ status: "completed", saves: 9 }), run().saves);
      }
      return disk.names(folder);
    };

    const [found] = await fileStore(root, { disk: { ...disk, names } }).list();

    expect(ended).toBe(true);
    expect(found).toMatchObject({ id: ID, status: "completed" });
  });

  it("writes no .gitignore into a folder that has other things in it", async () => {
    const root = await tempFolder();

    await fileStore(root).save(run(), 0);

    expect(await readdir(root)).toEqual(["workflows"]);
  });

  it("leaves a .gitignore as the user wrote it", async () => {
    const root = await newRoot();
    await mkdir(root);
    await writeFile(path.join(root, ".gitignore"), "mine");

    await fileStore(root).save(run(), 0);

    expect(await readFile(path.join(root, ".gitignore"), "utf8")).toBe("mine");
  });

  it("keeps long texts in files of their own, for as long as they are needed", async () => {
    const root = await newRoot();
    const store = fileStore(root);
    const first = run({ results: { main: LONG }, agents: [agent({ pendingResult: LONGER })] });
    await store.save(first, 0);
    expect(await readdir(payloads(root))).toHaveLength(2);
    expect(await fileStore(root).load(ID)).toEqual(first);

    const second = run({ results: { main: LONG } });
    await store.save(second, 0);
    const [name = ""] = await readdir(payloads(root));
    expect(await readFile(path.join(payloads(root), name), "utf8")).toBe(LONG);
    expect(await fileStore(root).load(ID)).toEqual(second);

    await store.save(run(), 0);
    expect(await readdir(payloads(root))).toEqual([]);
  });

  it("does not write a long text again that another process has written", async () => {
    const root = await newRoot();
    await fileStore(root).save(run({ results: { main: LONG } }), 0);
    const [name = ""] = await readdir(payloads(root));
    const before = await stat(path.join(payloads(root), name));

    await fileStore(root).save(run({ results: { main: LONG } }), 0);

    expect((await stat(path.join(payloads(root), name))).ino).toBe(before.ino);
  });

  it("reports a changed or missing long text", async () => {
    const root = await newRoot();
    const store = fileStore(root);
    await store.save(run({ results: { main: LONG } }), 0);
    const [name = ""] = await readdir(payloads(root));

    await writeFile(path.join(payloads(root), name), "short");
    await expect(store.load(ID)).rejects.toThrow(name);
    await rm(path.join(payloads(root), name));
    await expect(store.load(ID)).rejects.toMatchObject({ code: "store/damaged-state" });
  });

  it("deletes partial files of a crash", async () => {
    const root = await newRoot();
    await fileStore(root).save(run({ results: { main: LONG } }), 0);
    const workflows = path.join(root, "workflows");
    await writeFile(path.join(workflows, `.${ID}.json.0badcafe.tmp`), "{");
    await writeFile(path.join(workflows, ".other.json.0badcafe.tmp"), "{");
    await writeFile(path.join(payloads(root), ".half.txt.0badcafe.tmp"), "x");

    const store = fileStore(root);
    const lock = await store.lock(ID);
    expect(await readdir(workflows)).toEqual([".other.json.0badcafe.tmp", `${ID}.json`]);

    await store.save(run({ results: { main: LONG } }), 0);
    expect(await readdir(payloads(root))).toEqual([expect.stringMatching(/^[0-9a-f]{64}\.txt$/)]);
    await lock.release();
  });

  it("continues after its folder was deleted", async () => {
    const root = await newRoot();
    const store = fileStore(root);
    await store.save(run({ results: { main: LONG } }), 0);
    await rm(root, { recursive: true });

    await store.save(run({ results: { main: LONG }, steps: 2 }), 0);

    expect(await fileStore(root).load(ID)).toEqual(run({ results: { main: LONG }, steps: 2 }));
  });

  it("keeps the lock and the payloads of a run whose files were deleted", async () => {
    for (const removed of ["", "runs"]) {
      const root = await newRoot();
      const store = fileStore(root);
      const lock = await store.lock(ID);
      await store.save(run({ results: { main: LONG } }), 0);
      await rm(path.join(root, removed), { recursive: true });

      await store.save(run({ results: { main: LONG }, steps: 2 }), 0);

      expect(await fileStore(root).holder(ID)).toMatchObject({ pid: process.pid });
      await expect(fileStore(root).lock(ID)).rejects.toMatchObject({ code: "store/run-locked" });
      expect(await fileStore(root).load(ID)).toEqual(run({ results: { main: LONG }, steps: 2 }));
      await lock.release();
      expect(await fileStore(root).holder(ID)).toBeNull();
    }
  });

  it("leaves a step the file that it was handed where the lock was disturbed, and removes a dead one's", async () => {
    const root = await newRoot();
    const dead = path.join(payloads(root), "result-dead.txt");
    const handed = path.join(payloads(root), "result-0badcafe.txt");
    await mkdir(payloads(root), { recursive: true });
    await writeFile(dead, "");
    const store = fileStore(root);
    const lock = await store.lock(ID);
    await store.save(run({ saves: 1 }), 0);
    expect(await readdir(payloads(root))).toEqual([]);
    await writeFile(handed, "hello");
    await rm(path.join(root, "runs", ID, "lock.1"));

    await store.save(run({ saves: 2 }), 1);

    expect(await readFile(handed, "utf8")).toBe("hello");
    await lock.release();
  });

  it("does not write to a run that another process has created in its place", async () => {
    const root = await newRoot();
    const store = fileStore(root);
    const first = await store.lock(ID);
    await store.save(run(), 0);
    await rm(root, { recursive: true });
    const other = fileStore(root);
    const lock = await other.lock(ID);
    await other.save(run({ steps: 7 }), 0);
    const refused = { code: "store/run-locked" };

    await expect(store.save(run({ steps: 2 }), 0)).rejects.toMatchObject(refused);
    await lock.release();
    await expect(store.save(run({ steps: 2 }), 0)).rejects.toMatchObject(refused);

    expect((await other.load(ID))?.steps).toBe(7);
    await fileStore(root).lock(ID);
    await first.release();
    expect(await other.holder(ID)).not.toBeNull();
  });

  it("refuses to replace the save of another process, also without a lock", async () => {
    const root = await newRoot();
    const store = fileStore(root);
    const lock = await store.lock(ID);
    await store.save(run({ saves: 1 }), 0);
    await rm(path.join(root, "runs"), { recursive: true });
    const other = fileStore(root);
    await other.lock(ID);
    await other.save(run({ saves: 2, steps: 7, results: { main: LONG } }), 1);
    await rm(path.join(root, "runs", ID, "lock.1"));

    const saved = store.save(run({ saves: 2, steps: 1 }), 1);

    await expect(saved).rejects.toThrow(/was saved by another process at 2026.*save 2 is on disk/);
    expect(await other.load(ID)).toMatchObject({ steps: 7, results: { main: LONG } });
    expect(await readdir(path.join(root, "workflows"))).toEqual([`${ID}.json`]);
    await lock.release();
  });

  it("reads the state file only once if no other process writes it", async () => {
    const root = await newRoot();
    await fileStore(root).save(run({ saves: 1 }), 0);
    const read: string[] = [];
    const disk = nodeDisk();
    const store = fileStore(root, {
      disk: {
        ...disk,
        read: (file) => {
          read.push(file);
          return disk.read(file);
        },
      },
    });

    for (const saves of [2, 3, 4, 5]) await store.save(run({ saves }), saves - 1);

    expect(read).toEqual([stateFile(root)]);
  });

  it("lists a damaged run with its problem", async () => {
    const root = await newRoot();
    const store = fileStore(root);
    await store.save(run({ id: "good", status: "completed" }), 0);
    await writeFile(path.join(root, "workflows", "bad.json"), '{ "version": 1');
    await writeFile(path.join(root, "workflows", "notes.txt"), "");

    const listed = await store.list();

    expect(listed.map(({ id, status }) => [id, status]).sort()).toEqual([
      ["bad", "unreadable"],
      ["good", "completed"],
    ]);
    expect(listed.find(({ id }) => id === "bad")?.problem).toContain("was cut off");
  });

  it("leaves a file that it refuses untouched", async () => {
    const root = await newRoot();
    const store = fileStore(root);
    await store.save(run(), 0);
    await writeFile(stateFile(root), '{ "version": 5 }');

    await expect(store.load(ID)).rejects.toMatchObject({ code: "store/newer-state" });

    expect(await readFile(stateFile(root), "utf8")).toBe('{ "version": 5 }');
  });

  it("refuses a file that was copied to the name of another run", async () => {
    const root = await newRoot();
    const store = fileStore(root);
    await store.save(run(), 0);
    await writeFile(path.join(root, "workflows", "copy.json"), await readFile(stateFile(root)));

    await expect(store.load("copy")).rejects.toThrow("workflow_id");
  });

  it("treats id, link to the file and link to the folder as the same run", async () => {
    const root = await newRoot();
    const elsewhere = await tempFolder();
    await fileStore(root).save(run(), 0);
    await symlink(root, path.join(elsewhere, "linked"));
    await mkdir(path.join(elsewhere, "other", "workflows"), { recursive: true });
    await symlink(stateFile(root), path.join(elsewhere, "other", "workflows", "alias.json"));
    const lock = await fileStore(root).lock(ID);

    const byFolder = fileStore(path.join(elsewhere, "linked"));
    const byLink = fileStore(path.join(elsewhere, "other"));

    await expect(byFolder.lock(ID)).rejects.toMatchObject({ code: "store/run-locked" });
    await expect(byLink.lock("alias")).rejects.toMatchObject({ code: "store/run-locked" });
    expect((await byLink.load("alias"))?.id).toBe(ID);
    expect(await byLink.artifacts("alias")).toEqual(await fileStore(root).artifacts(ID));
    await lock.release();
  });

  it("removes only files of the run", async () => {
    const root = await newRoot();
    const store = fileStore(root);
    await store.save(run({ results: { main: LONG } }), 0);
    await store.save(run({ id: "other" }), 0);
    await mkdir(path.join(root, "debug", ID), { recursive: true });
    await writeFile(path.join(root, "debug", ID, "transitions.log"), "");

    await store.remove(ID);

    expect((await readdir(root, { recursive: true })).sort()).toEqual([
      ".gitignore",
      "debug",
      "runs",
      "workflows",
      "workflows/other.json",
    ]);
  });

  it("loses nothing, whichever call to the disk fails, and can save afterwards", async () => {
    const before = run({ results: { main: LONG } });
    const after = run({ results: { main: LONGER }, steps: 1 });
    for (let nth = 1; ; nth += 1) {
      const root = await newRoot();
      await fileStore(root).save(before, 0);
      const failing = failingDisk(nth, "ENOSPC");
      const store = fileStore(root, { disk: failing.disk });

      const failure: unknown = await store.save(after, 0).then(
        () => null,
        (error: unknown) => error,
      );

      const found = await fileStore(root).load(ID);
      if (failure === null) expect(found).toEqual(after);
      else {
        expect(failure).toMatchObject({
          code: "store/disk",
          message: expect.stringContaining("the disk is full (ENOSPC)") as string,
        });
        expect([before, after]).toContainEqual(found);
      }
      if (failing.calls() < nth) break;
      await store.save(run({ results: { main: LONG }, steps: 2 }), 0);
      expect((await fileStore(root).load(ID))?.steps).toBe(2);
      expect(await readdir(payloads(root))).toHaveLength(1);
    }
  });

  it("names the unusable folder and the reason", async () => {
    const root = path.join(await tempFolder(), "file", ".raymond");
    await writeFile(path.dirname(root), "");

    await expect(fileStore(root).save(run(), 0)).rejects.toMatchObject({
      code: "store/disk",
      message: expect.stringContaining("a file is in the place of a folder") as string,
    });
    expect(await fileStore(root).load(ID)).toBeUndefined();
  });
});
