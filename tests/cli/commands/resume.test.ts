import path from "node:path";
import { expect, it } from "vitest";
import { resumeCommand } from "../../../src/cli/commands/resume.ts";
import { fileStore } from "../../../src/stores/file.ts";
import { tempFolder } from "../../support/folders.ts";
import { run } from "../../support/runs.ts";
import { keepingShell } from "../../support/shell.ts";

it.each(["newer", "constructor"])("refuses a run of a backend called %s", async (backend) => {
  const dir = await tempFolder();
  await fileStore(path.join(dir, ".raymond")).save(run({ id: "one", backend }), 0);

  await expect(resumeCommand("one", {}, keepingShell(dir))).rejects.toMatchObject({
    code: "run/unknown-backend",
    message: `The run one was started on the backend "${backend}", which this raymond lacks.`,
    hint: expect.stringContaining("This one has claude and simulation.") as string,
  });
});
