import { readdir } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { until } from "../../support/until.ts";
import { resultScript, type Scene, scene, waitForFile } from "../scene.ts";

const STATE = ".raymond/workflows/one.json";
const delayed = (text: string) => text.includes('"kind": "delay"');

/** Two scripts, the first of which ends when there is a file `go`. */
const TWO_STEPS = {
  "w/START.sh": `echo x >started\n${waitForFile("go", "echo '<goto>NEXT</goto>'\n")}`,
  "w/NEXT.sh": resultScript("ok"),
};

/** A script that waits an hour before it is run once more, which is the end. */
const DELAY = {
  "w/START.sh": `echo x >>polls
if [ "$(wc -l <polls)" -ge 2 ]; then echo "<result>seen</result>"; exit; fi
echo '<reset delay="1h">START</reset>'
`,
};

const ASKS = {
  "w/START.sh": `echo '<ask next="NEXT">Which?</ask>'\n`,
  "w/NEXT.sh": `echo "<result>received $RAYMOND_RESULT</result>"\n`,
};

async function requests({ project }: Scene): Promise<readonly string[]> {
  const folder = path.join(project.dir, ".raymond", "runs", "one", "requests");
  const names = await readdir(folder).catch(() => []);
  return names.filter((name) => name.endsWith(".json"));
}

/** A command that waits for a raymond which hangs, once its request is there. */
async function asking(here: Scene, command: string) {
  const sender = here.start(command);
  await until("the request to be there", async () => {
    const found = await requests(here);
    return found.length > 0 ? found : undefined;
  });
  return sender;
}

/** Both are killed: the sender first, so that it takes nothing back. */
async function abandoned(here: Scene, run: ReturnType<Scene["start"]>, command: string) {
  run.kill("SIGSTOP");
  const sender = await asking(here, command);
  sender.kill("SIGKILL");
  await sender.exit;
  run.kill("SIGKILL");
  await run.exit;
}

describe("a control request", () => {
  it("to stop after the steps in flight ends with the process to which it was sent", async () => {
    const here = await scene(TWO_STEPS);
    const run = here.start("w --workflow-id one");
    await here.project.fileWith("started");

    await abandoned(here, run, "stop --after-steps");
    await here.project.write("go", "");

    expect(await here.raymond("--resume one")).toMatchObject({ exitCode: 0, stdout: "ok\n" });
    expect(await requests(here)).toEqual([]);
  });

  it("to end a delay ends with the process to which it was sent", async () => {
    const here = await scene(DELAY);
    const run = here.start("w --workflow-id one");
    await here.project.fileWith(STATE, delayed);

    await abandoned(here, run, "retry");
    const resumed = here.start("--resume one");
    await resumed.waitForStderr(/the delay of its workflow/);
    await until("the request to be discarded", async () =>
      (await requests(here)).length === 0 ? true : undefined,
    );

    expect((await here.raymond("status")).stdout).toMatch(
      /main at START\.sh: waiting for the delay/,
    );
    resumed.kill("SIGTERM");
    expect((await resumed.exit).exitCode).toBe(143);
    expect(await here.project.read("polls")).toBe("x\n");
  });

  it("about an answer may be lost: the answer is not", async () => {
    const here = await scene(ASKS);
    const run = here.start("w --workflow-id one --on-ask wait");
    await here.project.fileWith(STATE, (text) => text.includes("Which?"));

    await abandoned(here, run, "answer green");

    expect(await here.raymond("--resume one")).toMatchObject({
      exitCode: 0,
      stdout: "received green\n",
    });
  });

  it("whose process dies is answered with how to resume the run", async () => {
    const here = await scene(TWO_STEPS);
    const run = here.start("w --workflow-id one");
    await here.project.fileWith("started");
    run.kill("SIGSTOP");

    const sender = await asking(here, "stop --after-steps");
    run.kill("SIGKILL");

    expect(await sender.exit).toMatchObject({
      exitCode: 0,
      stdout: "The process of one has died. Resume the run with: raymond resume one\n",
    });
    expect(await requests(here)).toEqual([]);
    await here.project.write("go", "");
  });

  it("to end a delay is recorded where its process dies", async () => {
    const here = await scene(DELAY);
    const run = here.start("w --workflow-id one");
    await here.project.fileWith(STATE, delayed);
    run.kill("SIGSTOP");

    const sender = await asking(here, "retry");
    run.kill("SIGKILL");

    expect(await sender.exit).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining("Resume with: raymond resume one") as string,
    });
    expect(await here.raymond("--resume one")).toMatchObject({ exitCode: 0, stdout: "seen\n" });
  });
});
