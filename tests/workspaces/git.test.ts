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
