import path from "node:path";
import { expect, it } from "vitest";
import { stopCommand } from "../../../../src/cli/commands/control/stop.ts";
import { fileStore } from "../../../../src/storage/file.ts";
import { thisSystem } from "../../../../src/wire/system/system.ts";
import { NO_ORPHANS } from "../../../support/engine/no-orphans.ts";
import { tempFolder } from "../../../support/folders.ts";
import { run } from "../../../support/runs.ts";
import { testShell } from "../../../support/test-shell.ts";

const DEAD = { pid: 11, command: "claude -p" };
/** Hung in the kernel, say: no signal reaches it. */
const ALIVE = { pid: 12, command: "cp /mnt/gone" };

/** `raymond stop` if these processes of the run cannot be ended. */
async function stop(remaining: readonly (typeof ALIVE)[]) {
  const dir = await tempFolder();
  await fileStore(path.join(dir, ".raymond")).save(run({ id: "one" }), 0);
  const end = () => Promise.resolve({ ended: [DEAD], remaining });
  const orphans = () => ({ ...NO_ORPHANS, end });
  const processes = { ...thisSystem.processes, orphans };
  const shell = testShell(dir);
  const system = () => Promise.resolve({ ...thisSystem, processes });
  const code = await stopCommand({ run: "one" }, { ...shell, system });
  return { code, stdout: shell.stdout(), stderr: shell.stderr() };
}

it("raymond stop exits with 1 and lists processes that are still alive", async () => {
  const { code, stdout, stderr } = await stop([ALIVE]);

  expect(code).toBe(1);
  expect(stderr).toContain("still alive:\n  12  cp /mnt/gone\n");
  expect(stdout).toContain("Ended orphan processes:\n  11  claude -p\n");
});

it("raymond stop exits with 0 if no process is left", async () => {
  expect(await stop([])).toMatchObject({ code: 0, stderr: "" });
});
