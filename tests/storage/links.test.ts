import { mkdir, readdir, rename, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { prunable, prune } from "../../src/run/prune.ts";
import { fileStore } from "../../src/storage/file.ts";
import { agent } from "../support/agents.ts";
import { tempFolder } from "../support/folders.ts";
import { run } from "../support/runs.ts";

const ID = run().id;

/** A state folder with a completed run that has a long text and debug files, and another run beside it. */
async function project() {
  const dir = await tempFolder();
  const root = path.join(dir, "repository", ".raymond");
  const store = fileStore(root);
  const agents = [agent({ pendingResult: "x".repeat(70_000) })];
  await store.save(run({ status: "completed", agents }), 0);
  const lock = await store.lock(ID);
  await lock.release();
  await mkdir(path.join(root, "debug", ID), { recursive: true });
  await writeFile(path.join(root, "debug", ID, "transitions.log"), "");
  await mkdir(path.join(root, "runs", ID, "workflows"));
  return { dir, root, store };
}

/** Moves a place out of the state folder, as a folder of the user, and puts a link there. */
async function linkAway(dir: string, root: string, place: string): Promise<string> {
  const target = path.join(dir, "mine");
  await rename(path.join(root, place), target);
  await symlink(
    path.relative(path.dirname(path.join(root, place)), target),
    path.join(root, place),
  );
  return target;
}

const namesBelow = async (folder: string) =>
  (await readdir(folder, { recursive: true })).toSorted();

const FOLDERS = [
  "runs",
  "debug",
  `runs/${ID}`,
  `debug/${ID}`,
  `runs/${ID}/payloads`,
  `runs/${ID}/workflows`,
];

describe("a state folder with a symbolic link in it", () => {
  it.each([...FOLDERS, "workflows"])("has no run deleted where %s is the link", async (place) => {
    const { dir, root, store } = await project();
    await linkAway(dir, root, place);
    const before = await namesBelow(dir);

    const refusal = { code: "store/linked-place" };
    await expect(store.remove(ID)).rejects.toMatchObject(refusal);
    await expect(prunable({ stateDir: root })).rejects.toMatchObject(refusal);
    await expect(prune({ stateDir: root, runs: [ID] })).rejects.toMatchObject(refusal);

    expect(await namesBelow(dir)).toEqual(before);
  });

  it.each(["alias", ID])(
    "keeps the run elsewhere to which a state file leads: %s",
    async (name) => {
      const { dir, root } = await project();
      const other = path.join(dir, "other", ".raymond");
      const link = path.join(other, "workflows", `${name}.json`);
      await mkdir(path.dirname(link), { recursive: true });
      await symlink(path.join(root, "workflows", `${ID}.json`), link);
      const before = await namesBelow(root);

      const refusal = { code: "store/linked-place" };
      await expect(fileStore(other).remove(name)).rejects.toMatchObject(refusal);
      await expect(prune({ stateDir: other })).rejects.toMatchObject(refusal);
      await expect(prune({ stateDir: other, runs: [name] })).rejects.toMatchObject(refusal);

      expect(await namesBelow(root)).toEqual(before);
    },
  );

  it.each([...FOLDERS, "workflows"])(
    "has no run started or resumed where %s is the link",
    async (place) => {
      const { dir, root, store } = await project();
      await linkAway(dir, root, place);
      const before = await namesBelow(dir);

      await expect(store.lock(ID)).rejects.toMatchObject({ code: "store/linked-place" });

      expect(await namesBelow(dir)).toEqual(before);
    },
  );

  it("names the link and its target", async () => {
    const { dir, root, store } = await project();
    const target = await linkAway(dir, root, "runs");

    await expect(store.remove(ID)).rejects.toThrow(
      `${path.join(root, "runs")} is a symbolic link to ${target}`,
    );
  });

  it("loses links deep in the folder of a run with that folder, and not their targets", async () => {
    const { dir, root, store } = await project();
    const target = path.join(dir, "mine");
    await mkdir(target);
    await writeFile(path.join(target, "letter.txt"), "");
    await symlink(target, path.join(root, "runs", ID, "workflows", "link"));
    await symlink(target, path.join(root, "debug", ID, "link"));

    await store.remove(ID);

    expect(await readdir(target)).toEqual(["letter.txt"]);
    expect(await readdir(path.join(root, "runs"))).toEqual([]);
  });

  it("may itself be reached by a link", async () => {
    const { dir, root } = await project();
    const linked = path.join(dir, "linked");
    await symlink(root, linked);

    await prune({ stateDir: linked });

    expect(await readdir(path.join(root, "workflows"))).toEqual([]);
  });
});
