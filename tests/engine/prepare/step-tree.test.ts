import { mkdir, symlink } from "node:fs/promises";
import path from "node:path";
import { expect, it } from "vitest";
import { limitsOf } from "../../../src/engine/executors/sandbox-paths.ts";
import { settingsIn, treeOf } from "../../../src/engine/prepare/step-tree.ts";
import { tempFolder } from "../../support/folders.ts";
import { settings } from "../../support/runs.ts";

const WRITE = ["/repo/app/dist", "/repo/shared", "/elsewhere", "/repo/app/absolute"];
const SANDBOX = { write: WRITE, network: true, relative: WRITE.slice(0, 3) };
const PLACE = { branch: "raymond/x", base: "b", repository: "/repo/.git", copy: [] };

/** What the settings allow to change. */
function writable(...[run, agent]: Parameters<typeof treeOf>) {
  return settingsIn(treeOf(run, agent), settings({ sandbox: SANDBOX })).sandbox?.write;
}

it("moves relative paths of settings into the worktree of a run, of its agents, and of theirs", () => {
  const checkout = { launchDir: "/repo/app" };
  const ofRun = { folder: "/trees/one", branch: "b", base: "b", origin: "/repo/app" };
  const inWorktree = { launchDir: "/trees/one/app", worktree: ofRun };
  const agent = { worktree: { ...PLACE, folder: "/trees/x", origin: "/repo" } };
  const nested = {
    worktree: { ...PLACE, folder: "/trees/y", origin: "/trees/x", checkout: "/repo" },
  };
  const ofAgent = { worktree: { ...PLACE, folder: "/trees/x", origin: "/trees/one" } };

  expect(writable(checkout, { worktree: undefined })).toEqual(WRITE);
  const moved = (top: string) => [
    ...[`${top}/app/dist`, `${top}/shared`, "/elsewhere", "/repo/app/absolute"],
  ];
  expect(writable(inWorktree, null)).toEqual(moved("/trees/one"));
  expect(writable(checkout, agent)).toEqual(moved("/trees/x"));
  expect(writable(checkout, nested)).toEqual(moved("/trees/y"));
  expect(writable(inWorktree, ofAgent)).toEqual(moved("/trees/x"));
  expect(treeOf(checkout, agent)).toMatchObject({
    launchDir: "/trees/x/app",
    worktree: "/trees/x",
  });
  expect(treeOf(inWorktree, ofAgent).launchDir).toBe("/trees/x/app");
  expect(treeOf(inWorktree, null).place("../lib")).toBe("/trees/one/lib");
  expect(treeOf(inWorktree, null).place("../../lib")).toBe("/lib");
});

it("refuses a link that leads out of the worktree, also outside of the launch folder", async () => {
  const worktree = path.join(await tempFolder(), "tree");
  const launchDir = path.join(worktree, "app");
  await mkdir(launchDir, { recursive: true });
  const link = path.join(worktree, "link");
  await symlink("/usr", link);

  const limits = limitsOf({ cwd: launchDir, launchDir, worktree }, null, {
    write: [link],
    network: true,
  });

  expect(limits).toMatchObject({
    ok: false,
    problem: `sandbox.write names ${link}, which leads to /usr, outside of the worktree ${worktree}.`,
  });
});
