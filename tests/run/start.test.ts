import { mkdir, readdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { list } from "../../src/inspect/list.ts";
import { resume } from "../../src/run/resume.ts";
import { type StartOptions, start } from "../../src/run/start.ts";
import { startTemporary } from "../../src/run/start-temporary.ts";
import { type Caller, thisProcess } from "../../src/wire/caller.ts";
import { tempFolder } from "../support/folders.ts";

/** A folder with a workflow `w`, which says what it was given. */
async function project(): Promise<Caller> {
  const cwd = await tempFolder();
  await mkdir(path.join(cwd, "w"));
  await writeFile(path.join(cwd, "w", "START.sh"), 'echo "<result>$who $RAYMOND_RESULT</result>"');
  return thisProcess({ cwd, env: { PATH: process.env["PATH"] } });
}

describe("start", () => {
  it("returns the state of an ended run, and emits its events in order", async () => {
    const caller = await project();
    const events: string[] = [];
    const options: StartOptions = {
      workflow: "w",
      id: "one",
      input: () => Promise.resolve("works"),
      attributes: { who: "she" },
      watch: ({ id }) => [{ notify: (event) => events.push(`${id} ${event.type}`) }],
    };

    const run = await start(options, caller);

    expect(run).toMatchObject({ id: "one", status: "completed", results: { main: "she works" } });
    expect([events[0], events.at(-1)]).toEqual(["one run.started", "one run.ended"]);
    await expect(start(options, caller)).rejects.toMatchObject({ code: "cli/run-exists" });
    await expect(resume({ run: "one" }, caller)).rejects.toMatchObject({ code: "run/completed" });
  });

  it.each([
    [{ settings: { maxParallel: 0 } }, "config/invalid"],
    [{ settings: { agents: ["claude", "claude"] } }, "config/invalid"],
    [{ settings: { agents: ["cladue"] } }, "config/unknown-agent"],
    [{ settings: { clients: { claud: "/x" } } }, "config/unknown-agent"],
    [{ attributes: { "1x": "y" } }, "cli/bad-variable"],
    [{ id: "../x" }, "store/bad-run-id"],
    [{ start: "NEXT" }, "workflow/unknown-state"],
    [{ simulate: true }, "simulation/not-found"],
  ])("refuses without creating a run: %j", async (options, code) => {
    const caller = await project();

    await expect(start({ workflow: "w", ...options }, caller)).rejects.toMatchObject({ code });

    expect(await readdir(caller.cwd)).toEqual(["w"]);
  });

  it("takes the agent of workflow.yaml unless a setting names another", async () => {
    const caller = await project();
    const manifest = path.join(caller.cwd, "w", "workflow.yaml");
    await writeFile(manifest, "agent: cladue\n");
    const options = { workflow: "w", attributes: { who: "it" } };

    await expect(start(options, caller)).rejects.toMatchObject({ code: "config/unknown-agent" });
    const run = await start({ ...options, settings: { agents: ["claude"] } }, caller);
    expect(run).toMatchObject({ status: "completed", backend: "claude" });
  });

  it("refuses a prompt of an unknown agent before its first step", async () => {
    const caller = await project();
    const prompt = "---\nagent: cladue\n---\nEnd with <result>x</result>";
    await writeFile(path.join(caller.cwd, "w", "NEXT.md"), prompt);
    const settings = { clients: { claude: "/bin/true" }, budgetMicroUsd: null } as const;

    await expect(start({ workflow: "w", settings }, caller)).rejects.toMatchObject({
      code: "config/unknown-agent",
      hint: expect.stringContaining("Did you mean claude?") as string,
    });
  });

  it("does not read the input after another error", async () => {
    const caller = await project();
    const input = () => Promise.reject(new Error("it was asked for"));

    await expect(start({ workflow: "none", input }, caller)).rejects.toMatchObject({
      code: "workflow/not-found",
    });
  });

  it("removes its process listeners", async () => {
    const caller = await project();
    const before = process.listenerCount("SIGUSR2");

    await start({ workflow: "w" }, caller);

    expect(process.listenerCount("SIGUSR2")).toBe(before);
  });
});

describe("startTemporary", () => {
  it("leaves no files behind, and ignores the settings of the project", async () => {
    const caller = await project();
    const env = { ...caller.env, RAYMOND_BUDGET: "nonsense" };

    const run = await startTemporary({ workflow: path.join(caller.cwd, "w") }, { ...caller, env });

    expect(run.status).toBe("completed");
    expect(await readdir(caller.cwd)).toEqual(["w"]);
    await expect(readdir(run.launchDir)).rejects.toMatchObject({ code: "ENOENT" });
    expect((await list({}, caller)).runs).toEqual([]);
  });
});
