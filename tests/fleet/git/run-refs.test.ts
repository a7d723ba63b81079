import { expect, it } from "vitest";
import { remoteRemains } from "../../../src/fleet/git/run-refs.ts";
import { startProcess } from "../../../src/process/children/run-process.ts";
import { gitBy } from "../../../src/workspaces/git.ts";
import { ALONE, testRepository } from "../../support/fleet/repository.ts";
import { tempFolder } from "../../support/folders.ts";

const GIT = gitBy(startProcess, ALONE);

it("deletes the refs of the given runs if they are unchanged, and no others", async () => {
  const folder = await tempFolder();
  const { remote, git, inRemote, commit } = await testRepository(folder, { a: "a\n" });
  const refs = ["one/main", "one/7", "two/main", "two-b/main", "late/main"];
  for (const ref of refs) await git("push", "--quiet", "origin", `HEAD:refs/raymond/${ref}`);

  const found = await remoteRemains(remote, ["one", "two", "late", "none"], GIT);
  expect([...found.refs]).toEqual([
    ["one", 2],
    ["two", 1],
    ["late", 1],
    ["none", 0],
  ]);
  // Another run with the same id has started in the meantime.
  await commit("second");
  await git("push", "--quiet", "--force", "origin", "HEAD:refs/raymond/late/main");

  expect(await found.remove(["one"])).toBeNull();
  expect(await found.remove(["none"])).toBeNull();
  expect(await found.remove(["late"])).toContain("stale info");
  const left = (await inRemote("for-each-ref", "--format=%(refname)")).split("\n");
  expect(left).toEqual([
    ...["refs/heads/main", "refs/raymond/late/main"],
    ...["refs/raymond/two-b/main", "refs/raymond/two/main"],
  ]);
});

it("explains why a remote is not available, and prints the command that deletes the refs", async () => {
  const found = await remoteRemains("/nowhere/it's.git", ["one"], GIT);

  expect(found.trouble).toMatch(/does not appear to be a git repository|does not exist/);
  expect(found.command(["one"])).toBe(
    `git ls-remote '/nowhere/it'\\''s.git' 'refs/raymond/one/*' | cut -f2 | xargs git push '/nowhere/it'\\''s.git' --delete`,
  );
});
