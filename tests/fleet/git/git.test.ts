import { expect, it } from "vitest";
import { gitBy } from "../../../src/fleet/git/git.ts";
import { isPassing } from "../../../src/fleet/take.ts";
import { thisSystem } from "../../../src/runs/wire/system.ts";
import { tempProject } from "../../support/project.ts";

it("reports a git that was killed as interrupted, which is no fault of the run", async () => {
  const { dir, env } = await tempProject({});
  const alias = ["-c", "alias.die=!kill -KILL $PPID", "die"];
  const git = gitBy(thisSystem.processes.start, env);

  const failed = git.ask(alias, { cwd: dir }).catch((error: unknown) => error);

  expect(await failed).toMatchObject({ code: "fleet/git-interrupted" });
  expect(isPassing((await failed) as Parameters<typeof isPassing>[0])).toBe(true);
});
