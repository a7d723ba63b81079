import { describe, expect, it } from "vitest";
import { type Scene, scene } from "../scene.ts";

const STATE = ".raymond/workflows/one.json";

/** A script that polls several times with a delay. */
const polling = (delay: string, times: number) => ({
  "w/START.sh": `echo "$$ $(date +%s)" >>polls
if [ "$(wc -l <polls)" -ge ${String(times)} ]; then echo "<result>seen</result>"; exit; fi
echo '<reset delay="${delay}">START</reset>'
`,
});

const waits = (text: string) => text.includes('"kind": "delay"');

/** The processes and the seconds of all looks so far. */
async function polls({ project }: Scene) {
  const lines = (await project.read("polls")).trim().split("\n");
  return lines.map((line) => line.split(" ").map(Number));
}

describe("a loop with a delay", () => {
  it("polls at its interval, without processes of steps in between", async () => {
    const here = await scene(polling("2s", 3));
    const run = here.start("w --workflow-id one");
    await here.project.fileWith(STATE, waits);

    const [first = []] = await polls(here);
    expect(() => process.kill(first[0] ?? 0, 0)).toThrow("ESRCH");

    expect(await run.exit).toMatchObject({ exitCode: 0, stdout: "seen\n" });
    const times = (await polls(here)).map(([, at = 0]) => at);
    expect((times[2] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(3);
  });

  it("waits for the rest of the delay after a kill and a resume", async () => {
    const here = await scene(polling("3s", 2));
    const run = here.start("w --workflow-id one");
    await here.project.fileWith(STATE, waits);
    run.kill("SIGKILL");
    await run.exit;

    const done = await here.raymond("--resume one");

    expect(done).toMatchObject({ exitCode: 0, stdout: "seen\n" });
    expect(done.stderr).toContain("the delay of its workflow");
    const [first = 0, second = 0] = (await polls(here)).map(([, at = 0]) => at);
    expect(second - first).toBeGreaterThanOrEqual(2);
  });

  it("continues immediately if the delay has passed before the resume", async () => {
    const here = await scene(polling("1h", 2));
    const run = here.start("w --workflow-id one");
    await here.project.fileWith(STATE, waits);
    run.kill("SIGKILL");
    await run.exit;
    const state = await here.project.read(STATE);
    const past = state.replace(/"until": "[^"]*"/, '"until": "2020-01-01T00:00:00.000Z"');
    await here.project.write(STATE, past);

    const done = await here.raymond("--resume one");

    expect(done).toMatchObject({ exitCode: 0, stdout: "seen\n" });
    expect(done.stderr).not.toContain("the delay of its workflow");
  });

  it("is shown by status and list, with its time", async () => {
    const { project, raymond, start } = await scene(polling("1h", 2));
    const run = start("w --workflow-id one");
    await project.fileWith(STATE, waits);

    expect((await raymond("status")).stdout).toMatch(
      /main at START\.sh: waiting for the delay of its workflow, until .*, in 1 h/,
    );
    expect((await raymond("list")).stdout).toMatch(/^one +waiting until \w+ \d\d:\d\d /m);
    const [line = ""] = (await raymond("list --json")).stdout.split("\n");
    expect(line).toMatch(/"waits_until":"20[^"]*Z"/);

    run.kill("SIGTERM");
    expect((await run.exit).exitCode).toBe(143);
    for (const command of ["status", "why"]) {
      expect((await raymond(command)).stdout).toMatch(/waits until .* after a resume, in 1 h/);
    }
  });

  it.each(["0", "31d", "-5s", "soon"])("is refused with a delay of %s", async (delay) => {
    const { raymond } = await scene(polling(delay, 2));

    const failed = await raymond("w --workflow-id one");

    expect(failed.exitCode).toBe(1);
    expect(failed.stderr).toContain(
      `The delay attribute of <reset> must be a duration above 0 and up to 30d, such as 90s, 5m or 2h, not "${delay}".`,
    );
  });
});

describe("raymond retry", () => {
  it("ends the delay of a run that is running", async () => {
    const { project, raymond, start } = await scene(polling("1h", 2));
    const run = start("w --workflow-id one");
    await project.fileWith(STATE, waits);

    const none = await raymond("retry one main_work1");
    expect(none).toMatchObject({ exitCode: 1, stdout: "" });
    expect(none.stderr).toContain("Agent main_work1 of one is not waiting. Waiting: main.");

    const woken = await raymond("retry");
    expect(woken).toMatchObject({
      exitCode: 0,
      stdout: "one is retrying now: main.\n",
      stderr: "",
    });
    expect(await run.exit).toMatchObject({ exitCode: 0, stdout: "seen\n" });
  });

  it("is recorded if no process runs the run, and a resume starts at once", async () => {
    const { project, raymond, start } = await scene(polling("1h", 2));
    const run = start("w --workflow-id one");
    await project.fileWith(STATE, waits);
    run.kill("SIGKILL");
    await run.exit;

    const woken = await raymond("retry one main");
    expect(woken).toMatchObject({ exitCode: 0, stderr: "" });
    expect(woken.stdout).toContain("Resume with: raymond resume one");

    expect(await raymond("--resume one")).toMatchObject({ exitCode: 0, stdout: "seen\n" });
  });

  it("reports that the run is not waiting", async () => {
    const { raymond } = await scene(polling("1s", 1));
    await raymond("w --workflow-id one");

    const woken = await raymond("retry");

    expect(woken).toMatchObject({ exitCode: 0, stdout: "" });
    expect(woken.stderr).toContain("one is not waiting for anything.");
  });
});
