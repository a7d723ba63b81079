import path from "node:path";
import { expect, it } from "vitest";
import { stopCommand } from "../../../src/cli/commands/stop.ts";
import { thisSystem } from "../../../src/runs/wire/system.ts";
import { fileStore } from "../../../src/stores/file.ts";
import { tempFolder } from "../../support/folders.ts";
import { NO_LEFTOVERS } from "../../support/no-leftovers.ts";
import { run } from "../../support/runs.ts";
import { keepingShell } from "../../support/shell.ts";

const DEAD = { pid: 11, command: "claude -p" };
/** Hung in the kernel, say: no signal reaches it. */
const ALIVE = { pid: 12, command: "cp /mnt/gone" };

/** `raymond stop` where these are what is left of the run. */
async function stop(left: readonly (typeof ALIVE)[]) {
  const dir = await tempFolder();
  await fileStore(path.join(dir, ".raymond")).save(run({ id: "one" }), 0);
  const end = () => Promise.resolve({ ended: [DEAD], left });
  const leftovers = () => ({ ...NO_LEFTOVERS, end });
  const processes = { ...thisSystem.processes, leftovers };
  const shell = keepingShell(dir);
  const system = () => Promise.resolve({ ...thisSystem, processes });
  const code = await stopCommand({ run: "one" }, { ...shell, system });
  return { code, stdout: shell.stdout(), stderr: shell.stderr() };
}

it("raymond stop ends with 1 and names what it could not end", async () => {
  const { code, stdout, stderr } = await stop([ALIVE]);

  expect(code).toBe(1);
  expect(stderr).toContain("still alive:\n  12  cp /mnt/gone\n");
  expect(stdout).toContain("now ended:\n  11  claude -p\n");
});

it("and with 0 when nothing is left", async () => {
  expect(await stop([])).toMatchObject({ code: 0, stderr: "" });
});
