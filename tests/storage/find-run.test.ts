import { mkdir, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { fileStore } from "../../src/storage/file.ts";
import { findRun } from "../../src/storage/find-run.ts";
import { failingDisk } from "../support/disk/failing-disk.ts";
import { tempFolder } from "../support/folders.ts";
import { run } from "../support/runs.ts";

const IDS = ["wf-2026-11-20-aaaaaa", "wf-2026-11-21-k3x9qd", "wf-2026-11-21-k3zzzz", "nightly"];

/** A `.raymond` with four runs; the second was started last. */
async function project(): Promise<string> {
  const root = path.join(await tempFolder(), ".raymond");
  const store = fileStore(root);
  for (const [index, id] of IDS.entries()) {
    const day = index === 1 ? "28" : `1${String(index)}`;
    await store.save(run({ id, startedAt: `2026-11-${day}T00:00:00.000Z` }), 0);
  }
  return root;
}

describe("findRun", () => {
  it.each([
    ["a full id", "wf-2026-11-21-k3x9qd", "wf-2026-11-21-k3x9qd"],
    ["a unique prefix", "wf-2026-11-20", "wf-2026-11-20-aaaaaa"],
    ["a prefix of a name that the user chose", "nig", "nightly"],
    ["the six characters at the end", "k3zzzz", "wf-2026-11-21-k3zzzz"],
    ["latest", "latest", "wf-2026-11-21-k3x9qd"],
  ])("understands %s", async (_, wanted, id) => {
    const root = await project();

    expect(await findRun(root, wanted)).toEqual({ id, root });
  });

  it("refuses the path of a run that belongs to another user", async () => {
    const root = await project();
    const file = path.join(root, "workflows", "nightly.json");
    const user = (process.getuid?.() ?? 0) + 1;

    await expect(findRun("/nowhere", file, { user })).rejects.toMatchObject({
      code: "store/unusable-root",
      message: expect.stringContaining("belongs to another user") as string,
    });
  });

  it("accepts a full id that is a prefix of another", async () => {
    const root = await project();
    await fileStore(root).save(run({ id: "nightly2" }), 0);

    expect(await findRun(root, "nightly")).toEqual({ id: "nightly", root });
  });

  it("understands the path of a state file, relative, absolute and through a link", async () => {
    const root = await project();
    const elsewhere = await tempFolder();
    const file = path.join(root, "workflows", "nightly.json");
    await symlink(file, path.join(elsewhere, "mine.json"));
    const found = { id: "nightly", root };

    expect(await findRun("/nowhere", file)).toEqual(found);
    expect(await findRun("/nowhere", "mine.json", { launchDir: elsewhere })).toEqual(found);
    expect(
      await findRun("/nowhere", ".raymond/workflows/nightly.json", {
        launchDir: path.dirname(root),
      }),
    ).toEqual(found);
  });

  it("follows a link in a folder of runs to the run elsewhere, however it is named", async () => {
    const root = await project();
    const other = path.join(await tempFolder(), ".raymond");
    await mkdir(path.join(other, "workflows"), { recursive: true });
    const file = path.join(root, "workflows", "nightly.json");
    await symlink(file, path.join(other, "workflows", "alias.json"));

    for (const wanted of ["alias", "ali", "latest"]) {
      expect(await findRun(other, wanted)).toEqual({ id: "nightly", root });
    }
    expect(await fileStore(other).list()).toMatchObject([{ id: "alias" }]);
  });

  it("names the nearest when there is no such run", async () => {
    const root = await project();

    await expect(findRun(root, "nigthly")).rejects.toMatchObject({
      code: "store/unknown-run",
      hint: expect.stringContaining("Did you mean nightly?") as string,
    });
    await expect(findRun(root, "k3x9qq")).rejects.toMatchObject({
      hint: expect.stringContaining("wf-2026-11-21-k3x9qd") as string,
    });
  });

  it("names none that only looks alike: same day, another run", async () => {
    const root = await project();

    for (const wanted of ["wf-2026-11-21-zz99zz", "wf-2026-11-22-bb22bb", "neither", "zz99zz"]) {
      const refused = await findRun(root, wanted).catch((error: unknown) => error);
      expect(refused).toMatchObject({
        code: "store/unknown-run",
        hint: expect.not.stringContaining("Did you mean") as string,
      });
    }
  });

  it("reports that the project has no runs yet", async () => {
    const root = path.join(await tempFolder(), ".raymond");

    await expect(findRun(root, "latest")).rejects.toThrow(
      "No run found. This project has no runs yet.",
    );
    await expect(findRun(root, "abc")).rejects.toMatchObject({
      code: "store/unknown-run",
      message: 'Run "abc" not found. This project has no runs yet.',
      hint: "Start one with: raymond WORKFLOW. See an example with: raymond tour",
    });
  });

  it("lists the candidates when several begin so", async () => {
    const root = await project();

    await expect(findRun(root, "wf-2026-11-21")).rejects.toMatchObject({
      code: "store/ambiguous-run",
      message: '"wf-2026-11-21" matches several runs: wf-2026-11-21-k3x9qd, wf-2026-11-21-k3zzzz.',
    });
  });

  it("does not follow a name out of its folder", async () => {
    const root = await project();
    const folder = path.dirname(root);
    await writeFile(path.join(folder, "secret.json"), "{}");

    await expect(findRun(root, "..")).rejects.toMatchObject({ code: "store/bad-run-id" });
    await expect(findRun(root, "../../secret", { launchDir: root })).rejects.toMatchObject({
      code: "store/unknown-run",
    });
    await expect(findRun(root, "secret.json", { launchDir: folder })).rejects.toMatchObject({
      code: "store/misplaced-state",
    });
  });

  it("refuses a state file with a name that no run can have", async () => {
    const folder = path.join(await tempFolder(), "workflows");
    await mkdir(folder);
    await writeFile(path.join(folder, "a b.json"), "{}");

    await expect(findRun("/nowhere", path.join(folder, "a b.json"))).rejects.toMatchObject({
      code: "store/bad-run-id",
    });
  });

  it.each(["nightly", "latest"])("reports errors of the disk for %s", async (wanted) => {
    const root = await project();
    const { disk } = failingDisk(1, "EIO");

    await expect(findRun(root, wanted, { disk })).rejects.toMatchObject({
      code: "store/disk",
      message: expect.stringContaining(path.join(root, "workflows")) as string,
    });
  });
});
