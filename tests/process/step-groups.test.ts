import { existsSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startProcess } from "../../src/process/children/run-process.ts";
import { endProcesses, findProcesses } from "../../src/process/find-processes.ts";
import type { ProcessPlatform } from "../../src/process/platform/platform.ts";
import { thisPlatform } from "../../src/process/platform/platforms.ts";
import { linux, otherUnix } from "../../src/process/platform/unix.ts";
import { windows } from "../../src/process/platform/windows.ts";
import { tempFolder } from "../support/folders.ts";
import { describeNeeds, ENVIRONMENTS } from "../support/needs.ts";
import { bashCall } from "../support/process/bash-call.ts";
import { until } from "../support/until.ts";

/** The ps of Linux shows no environments: what macOS hides of its own programs, it hides of all. */
const PLATFORMS =
  process.platform === "linux"
    ? ([
        ["/proc", linux],
        ["ps", otherUnix],
      ] as const)
    : ([["ps", otherUnix]] as const);

/** A process that runs, written down; `file` is its record. */
async function recorded(text: string, platform: ProcessPlatform) {
  const folder = await tempFolder();
  const bash = bashCall(text);
  const running = platform.recordSteps(startProcess, folder)(bash.call);
  const group = Number(/\d+/.exec(await bash.said(/ready \d+/))?.[0]);
  const file = await until("its record", async () => {
    const [name] = await readdir(folder);
    if (name === undefined) return undefined;
    const written = await readFile(join(folder, name), "utf8");
    return written.endsWith("\n") ? join(folder, name) : undefined;
  });
  return { ...bash, running, folder, group, file };
}

describe.each(PLATFORMS)("the process groups of steps, by %s", (_name, platform) => {
  it("name what lives of a step, without its environment, and nothing once it has ended", async () => {
    const { folder, group, running } = await recorded(
      "env -i sleep 300 & echo ready $$; exec env -i sleep 301",
      platform,
    );

    const groups = await platform.livingGroups(folder, { epoch: null });
    expect(groups).toEqual([group]);
    const found = await until("both to have become sleep", async () => {
      const all = await findProcesses(platform.table, "run.", { groups });
      const commands = all.map(({ command }) => command).sort();
      return commands.join() === "sleep 300,sleep 301" ? all : undefined;
    });
    await endProcesses(platform.table, found, { graceMs: 0 });
    await running.done;
    expect(await platform.livingGroups(folder, { epoch: null })).toEqual([]);
    await until("the record to go", async () => (await readdir(folder)).length === 0 || undefined);
  });

  it("name the processes that outlive their step", async () => {
    const { folder, group, running, token } = await recorded(
      "env -i sleep 300 >/dev/null 2>&1 & echo ready $$; exec sleep 0.2",
      platform,
    );

    await running.done;

    const groups = await platform.livingGroups(folder, { token });
    expect(groups).toEqual([group]);
    const found = await findProcesses(platform.table, "run.", { groups });
    // Before its exec, the process has another name.
    expect(found).toMatchObject([{ command: expect.stringContaining("sleep 300") as string }]);
    await endProcesses(platform.table, found, { graceMs: 0 });
    expect(await platform.livingGroups(folder, { epoch: null })).toEqual([]);
  });

  it("name the processes that a short step leaves", async () => {
    const folder = join(await tempFolder(), "groups");
    const { call, token } = bashCall("env -i sleep 300 >/dev/null 2>&1 &");

    await platform.recordSteps(startProcess, folder)(call).done;

    const groups = await platform.livingGroups(folder, { token });
    const found = await findProcesses(platform.table, "run.", { groups });
    // Before its exec, the process has another name.
    expect(found).toMatchObject([{ command: expect.stringContaining("sleep 300") as string }]);
    await endProcesses(platform.table, found, { graceMs: 0 });
  });

  it("ignore a group whose number was reused", async () => {
    const { folder, group, file, running, cancellation } = await recorded(
      "echo ready $$; exec sleep 300",
      platform,
    );

    const text = await readFile(file, "utf8");
    await writeFile(file, text.replace(/"[^"]*"(?=}})/, '"of the one before"'));

    expect(text).not.toBe(await readFile(file, "utf8"));
    expect(text).toContain(String(group));
    expect(await platform.livingGroups(folder, { epoch: null })).toEqual([]);
    cancellation.killNow();
    await running.done;
  });
});

describeNeeds(ENVIRONMENTS, "the process groups of steps, by environments", () => {
  it("are not written for a short step that leaves nothing", async () => {
    const folder = join(await tempFolder(), "groups");
    const { call } = bashCall("true");

    await linux.recordSteps(startProcess, folder)(call).done;

    expect(existsSync(folder)).toBe(false);
  });
});

describe("the process groups of steps", () => {
  it.each(["", "{", "null", "[]", '{"group":1}', '{"group":"1","members":{}}'])(
    "ignore a file that contains %j",
    async (text) => {
      const folder = await tempFolder();
      await writeFile(join(folder, "1"), text);

      expect(await thisPlatform.livingGroups(folder, { epoch: null })).toEqual([]);
    },
  );

  it.each([linux, windows])("are not written if the disk refuses (%#)", async (platform) => {
    const folder = await tempFolder();
    const file = join(folder, "file");
    await writeFile(file, "");
    const { call } = bashCall("true");

    const { done } = platform.recordSteps(startProcess, file)(call);

    expect(await done).toMatchObject({ exitCode: 0 });
    expect(await readdir(folder)).toEqual(["file"]);
  });
});
