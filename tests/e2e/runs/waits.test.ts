import { describe, expect, it } from "vitest";
import { localTime } from "../../../src/console/local-time.ts";
import { scene } from "../scene.ts";

const STATE = ".raymond/workflows/one.json";
const WORKFLOW = { "w/START.md": "The whole prompt." };
const DONE = { say: "<result>done</result>" };
const inSeconds = (seconds: number) => Math.ceil(Date.now() / 1000) + seconds;

describe("a usage limit", () => {
  it("is waited for, and a resume before its end waits on to the same moment", async () => {
    const resetsAt = inSeconds(6);
    const { project, raymond, start, calls } = await scene(WORKFLOW, [
      { do: "limit", resetsAt },
      DONE,
    ]);
    const first = start("w --workflow-id one");
    await project.fileWith(STATE, (text) => text.includes('"status": "waiting"'));
    first.kill("SIGKILL");
    await first.exit;

    const done = await raymond("--resume one");

    expect(done).toMatchObject({ exitCode: 0, stdout: "done\n" });
    expect(Date.now()).toBeGreaterThanOrEqual(resetsAt * 1000);
    expect(await calls()).toHaveLength(2);
  });

  it("stops the run with --no-wait, and a later resume finishes it", async () => {
    const resetsAt = inSeconds(6);
    const { project, raymond } = await scene(WORKFLOW, [{ do: "limit", resetsAt }, DONE]);

    const paused = await raymond("w --workflow-id one --no-wait");
    expect(paused).toMatchObject({ exitCode: 5, stdout: "" });
    expect(paused.stderr).toContain("limit is reached");
    expect(paused.stderr).toContain("resume with: raymond resume one --wait");
    const end = localTime(resetsAt * 1000);
    expect(paused.stderr).toContain(`the usage limit ends at ${end}`);
    expect(await project.run("one")).toMatchObject({
      status: "paused",
      stop_reason: { class: "limit" },
    });

    const done = await raymond("--resume one --wait");
    expect(done).toMatchObject({ exitCode: 0, stdout: "done\n" });
  });

  it("does not delay scripts", async () => {
    const { raymond, project, start } = await scene(
      {
        "w/START.sh": 'echo "<fork next=\\"ASK\\">WORK</fork>"\n',
        "w/WORK.sh": 'sleep 1\necho "<goto>MORE</goto>"\n',
        "w/MORE.sh": 'echo x >more\necho "<result>worked</result>"\n',
        "w/ASK.md": "Ask.",
      },
      [{ do: "limit", resetsAt: inSeconds(3600) }],
    );
    const first = start("w --workflow-id one");
    await project.fileWith("more");
    await project.fileWith(STATE, (text) => text.includes('"main_work1": "worked"'));

    expect((await raymond("status one")).stdout).toMatch(/^status +waiting/m);

    first.kill("SIGINT");
    expect((await first.exit).exitCode).toBe(130);
  });
});

describe("an outage", () => {
  it("stops the run with --no-wait, and a later resume finishes it", async () => {
    const { raymond, calls } = await scene(WORKFLOW, [{ do: "overload" }, DONE]);

    const paused = await raymond("w --workflow-id one --no-wait");
    expect(paused.exitCode).toBe(5);
    expect(paused.stderr).toContain("The API answered 529");

    expect(await raymond("--resume one")).toMatchObject({ exitCode: 0, stdout: "done\n" });
    expect(await calls()).toHaveLength(2);
  });

  it("is retried until --max-outage", async () => {
    const { raymond, calls } = await scene(WORKFLOW, [{ do: "overload", times: "always" }]);

    const paused = await raymond("w --workflow-id one --max-outage 1s");

    expect(paused.exitCode).toBe(5);
    expect(paused.stderr).toContain("! outage, retry 1 in");
    expect((await calls()).length).toBeGreaterThan(1);
  });
});

describe("a lost conversation", () => {
  it("fails the agent with a message; --lost-session fresh continues without it", async () => {
    const { raymond, calls } = await scene({ "w/START.md": "One", "w/TWO.md": "Two" }, [
      { match: "One", say: "<goto>TWO</goto>" },
      { do: "no-conversation", times: 3 },
      DONE,
    ]);

    const failed = await raymond("w --workflow-id one");
    expect(failed.exitCode).toBe(1);
    expect(failed.stderr).toMatch(/no conversation [0-9a-f-]{36}/);
    expect(failed.stderr).toContain("--lost-session fresh");
    expect((await raymond("--resume one")).exitCode).toBe(1);

    const done = await raymond("--resume one --lost-session fresh");
    expect(done).toMatchObject({ exitCode: 0, stdout: "done\n" });
    expect((await calls()).at(-1)).toMatchObject({ mode: "fresh", prompt: "Two" });
  });
});

describe("a place among --max-parallel", () => {
  it("is waited for aloud, once by each agent that waits", async () => {
    const { raymond } = await scene(
      {
        "w/START.sh": 'echo "<fork next=\\"SECOND\\">WORK</fork>"\n',
        "w/SECOND.sh": 'echo "<fork next=\\"THIRD\\">WORK</fork>"\n',
        "w/THIRD.sh": 'echo "<fork next=\\"END\\">WORK</fork>"\n',
        "w/END.sh": 'echo "<result/>"\n',
        "w/WORK.md": "Work.",
      },
      [{ say: "<result>done</result>", ms: 600, times: 3 }],
    );

    const done = await raymond("w --max-parallel 1 --json");

    expect(done.exitCode).toBe(0);
    expect(done.stderr.match(/^ *main_work\d +queued \(--max-parallel 1\)/gm)).toHaveLength(2);
    const waits = done.stdout.split("\n").filter((line) => line.includes('"agent.waiting"'));
    expect(waits.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { agent: "main_work2", state: "WORK.md", for: "place", until: null },
      { agent: "main_work3", state: "WORK.md", for: "place", until: null },
    ]);
  });
});
