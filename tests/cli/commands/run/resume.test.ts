import path from "node:path";
import { expect, it } from "vitest";
import { resumeCommand } from "../../../../src/cli/commands/run/resume.ts";
import { fileStore } from "../../../../src/storage/file.ts";
import { tempFolder } from "../../../support/folders.ts";
import { run } from "../../../support/runs.ts";
import { testShell } from "../../../support/test-shell.ts";

it.each(["newer", "constructor"])("rejects a run of the backend %s", async (backend) => {
  const dir = await tempFolder();
  await fileStore(path.join(dir, ".raymond")).save(run({ id: "one", backend }), 0);

  await expect(resumeCommand("one", { trustProject: true }, testShell(dir))).rejects.toMatchObject({
    code: "run/unknown-backend",
    message: `Cannot resume run one: this version of raymond has no backend "${backend}".`,
    hint: expect.stringContaining("It has claude, codex, pi, simulation.") as string,
  });
});
