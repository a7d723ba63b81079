import { readFile, rm } from "node:fs/promises";
import path from "node:path";
import { expect, it } from "vitest";
import { isTransient } from "../../src/fleet/worker/runs/run-claimed.ts";
import { thisSystem } from "../../src/wire/system/system.ts";
import { gitBy } from "../../src/workspaces/git.ts";
import { tempProject } from "../support/project.ts";

it("reports a killed git as interrupted, not as a failure of the run", async () => {
  const { dir, env } = await tempProject({});
  const alias = ["-c", "alias.die=!kill -KILL $PPID", "die"];
  const git = gitBy(thisSystem.processes.start, env);

  const failed = git.run(alias, { cwd: dir }).catch((error: unknown) => error);

  expect(await failed).toMatchObject({ code: "workspace/git-interrupted" });
  expect(isTransient((await failed) as Parameters<typeof isTransient>[0])).toBe(true);
});

it("repeats a call that failed because another git was creating a worktree", async () => {
  const { dir, env } = await tempProject({});
  const problem = "fatal: failed to read .git/worktrees/one/commondir: Success";
  const fails = `mkdir seen 2>/dev/null && { echo "${problem}" >&2; exit 128; }; echo done`;
  const git = gitBy(thisSystem.processes.start, env);

  expect(await git.run(["-c", `alias.flaky=!${fails}`, "flaky"], { cwd: dir })).toBe("done");
});

it("returns other failures at once, and this one if it stays", async () => {
  const { dir, env } = await tempProject({});
  const git = gitBy(thisSystem.processes.start, env);
  const count = async (problem: string) => {
    const fails = `echo x >> calls; echo "fatal: ${problem}" >&2; exit 128`;
    const { ok } = await git.try(["-c", `alias.fails=!${fails}`, "fails"], { cwd: dir });
    const calls = await readFile(path.join(dir, "calls"), "utf8");
    await rm(path.join(dir, "calls"));
    return { ok, calls: calls.split("\n").length - 1 };
  };

  expect(await count("bad object HEAD")).toEqual({ ok: false, calls: 1 });
  const kept = await count("failed to read /r/.git/worktrees/a/commondir: Success");
  expect(kept.ok).toBe(false);
  expect(kept.calls).toBeGreaterThan(1);
});
