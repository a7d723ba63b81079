import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, it } from "vitest";
import { workspaceErrors } from "../../src/workspaces/errors.ts";
import { makeWorktreesFolder } from "../../src/workspaces/state-folder.ts";
import { tempFolder } from "../support/folders.ts";

it("reports a folder of worktrees that cannot be created, also below a file and below /proc", async () => {
  const folder = await tempFolder();
  await writeFile(path.join(folder, "file"), "");
  await makeWorktreesFolder(path.join(folder, "a", "b"));
  await makeWorktreesFolder(path.join(folder, "a", "b"));

  for (const bad of [path.join(folder, "file", "a", "b"), "/proc/none/a/b"]) {
    await expect(makeWorktreesFolder(bad)).rejects.toMatchObject({
      code: "workspace/unwritable",
      hint: expect.stringContaining("XDG_STATE_HOME") as string,
    });
  }
});

it.each([
  ["fatal: detected dubious ownership in repository at '/r'", "safe.directory /r"],
  ["fatal: 'refs/heads/raymond' exists; cannot create 'x'", "git branch -m raymond"],
  ["a.bin: smudge filter lfs failed", "git lfs fetch"],
  ["error: unable to read sha1 file", "partial clone"],
  ["error: cannot run no-such-program", "Install the missing program"],
  ["fatal: bad object", "Run the command by hand"],
])("advises after %j", (output, hint) => {
  const error = workspaceErrors["workspace/git-failed"]("worktree", output);

  expect(error.hint).toContain(hint);
  expect(error.hint).not.toContain("resume RUN");
});
