import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { retry } from "../../../src/run/control/retry.ts";
import { startRun } from "../../../src/run/driven-run.ts";
import type { OpenedRun } from "../../../src/run/manual/opened-run.ts";
import { resume } from "../../../src/run/resume.ts";
import { thisProcess } from "../../../src/wire/caller.ts";
import { tempFolder } from "../../support/folders.ts";

const LIMITED = `states:
  START: [{ fail: limit }, { reply: <result>done</result> }]
`;
const DELAYED = `states:
  START: [{ reply: <goto delay="1h">NEXT</goto> }]
  NEXT: [{ reply: <result>done</result> }]
`;
const BOTH = `states:
  START: [{ reply: '<fork next="NEXT">SIDE</fork>' }]
  NEXT: [{ reply: <goto delay="1h">END</goto> }]
  SIDE: [{ fail: limit }, { reply: <result>side</result> }]
  END: [{ reply: <result>done</result> }]
`;

/** A simulated run `one`. */
async function simulated(scenario: string, wait = true) {
  const cwd = await tempFolder();
  await mkdir(path.join(cwd, "w"));
  for (const name of ["START", "NEXT", "SIDE", "END"]) {
    await writeFile(path.join(cwd, "w", `${name}.md`), "Go.");
  }
  await writeFile(path.join(cwd, "w", "a.sim.yaml"), scenario);
  const caller = thisProcess({ cwd, env: { PATH: process.env["PATH"] } });
  const run = await startRun(
    { workflow: "w", id: "one", simulate: true, settings: { wait } },
    caller,
  );
  return { run, caller, retry: (agent?: string) => retry({ run: "one", agent }, caller) };
}

async function reaches(run: OpenedRun, type: string, count = 1): Promise<void> {
  let seen = 0;
  for await (const { event } of run.events()) {
    if (event.type === type) seen += 1;
    if (seen === count) return;
  }
}

describe("retry", () => {
  it("ends the delays and the usage limit of a run in progress", async () => {
    const { run, retry } = await simulated(BOTH);
    await Promise.all([reaches(run, "run.waiting"), reaches(run, "agent.moved", 2)]);

    const retried = await retry();

    expect(retried).toMatchObject({ outcome: "retrying", pid: process.pid });
    expect((await run.ended()).results["main"]).toBe("done");
  });

  it("ends the delay of the named agent only", async () => {
    const { run, retry } = await simulated(BOTH);
    await Promise.all([reaches(run, "run.waiting"), reaches(run, "agent.moved", 2)]);

    expect(await retry("no-agent")).toMatchObject({ outcome: "not-waiting" });
    expect(await retry("main")).toMatchObject({ outcome: "retrying", agents: ["main"] });
    await run.stop();
  });

  it.each([
    ["a usage limit", LIMITED, false],
    ["a delay", DELAYED, true],
  ])("ends %s in the state file where no process drives the run", async (_, scenario, wait) => {
    const { run, caller, retry } = await simulated(scenario, wait);
    if (wait) {
      await reaches(run, "agent.moved");
      await run.stop();
    }
    await run.ended();

    expect(await retry()).toMatchObject({
      outcome: "recorded",
      agents: ["main"],
      next: expect.stringContaining("raymond resume one") as unknown,
    });
    expect(await retry()).toEqual({ id: "one", outcome: "not-waiting", waiting: [] });
    expect((await resume({ run: "one" }, caller)).results["main"]).toBe("done");
  });
});
