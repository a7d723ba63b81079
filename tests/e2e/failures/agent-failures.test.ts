import { describe, expect, it } from "vitest";
import { resultScript, scene, waitForFile } from "../scene.ts";

/** Main forks a worker that fails and one that waits for a file, and waits itself. */
const FORKS = {
  "w/START.sh": 'echo "<fork next=\\"SECOND\\">BAD</fork>"\n',
  "w/SECOND.sh": 'echo "<fork next=\\"WAIT\\">GOOD</fork>"\n',
  "w/BAD.sh": waitForFile("good", `[ -e fixed ] && ${resultScript("fixed")}`),
  "w/GOOD.sh": `echo x >>good\n${waitForFile("go", resultScript("good"))}`,
  "w/WAIT.sh": waitForFile("go", 'echo "<goto>END</goto>"'),
  "w/END.sh": `echo x >>end\n${resultScript("main done")}`,
};

describe("an agent that fails", () => {
  it("completes scripts in flight, starts no more steps, and a resume runs only the rest", async () => {
    const { project, raymond, start } = await scene(FORKS);
    const first = start("w --workflow-id one");
    await first.waitForStderr(/waiting for the steps of main, main_good2/);
    await project.fileWith("good");
    expect((await raymond("status one")).stdout).toMatch(/^status +stopping/m);
    await project.write("go", "");

    const failed = await first.exit;

    expect(failed).toMatchObject({ exitCode: 1, stdout: "" });
    expect(failed.stderr).toMatch(/main_bad1 +! failed: The script BAD\.sh failed/);
    expect(await project.run("one")).toMatchObject({
      status: "failed",
      stop_reason: { agent: "main_bad1", state: "BAD.sh" },
      agents: [
        { id: "main", current_state: "END.sh" },
        { id: "main_bad1", status: "failed" },
      ],
      results: { main_good2: "good" },
    });
    await expect(project.read("end")).rejects.toThrow("ENOENT");

    await project.write("fixed", "");
    expect(await raymond("--resume one")).toMatchObject({ exitCode: 0, stdout: "main done\n" });
    expect(await project.read("good")).toBe("x\n");
    expect((await project.run("one")).results).toEqual({
      main: "main done",
      main_bad1: "fixed",
      main_good2: "good",
    });
  });

  it("completes the other agents with --keep-going, and prints the result of main", async () => {
    const { project, raymond } = await scene({ ...FORKS, go: "" });

    const failed = await raymond("w --workflow-id one --keep-going");

    expect(failed).toMatchObject({ exitCode: 1, stdout: "main done\n" });
    expect(await project.run("one")).toMatchObject({
      status: "failed",
      agents: [{ id: "main_bad1" }],
      results: { main: "main done", main_good2: "good" },
    });
    await project.write("fixed", "");
    expect(await raymond("--resume one")).toMatchObject({ exitCode: 0, stdout: "main done\n" });
    expect(await project.read("end")).toBe("x\n");
  });

  it("completes prompts in flight and records their costs", async () => {
    const { project, raymond, calls } = await scene(
      {
        "w/START.sh": 'echo "<fork next=\\"BAD\\">ASK</fork>"\n',
        "w/BAD.sh": `until [ -e "$CLAUDE_FAKE.calls.jsonl" ]; do sleep 0.2; done\n[ -e fixed ] && ${resultScript("ok")}`,
        "w/ASK.md": "Ask.",
      },
      [{ say: "<result>answer</result>", cost: 0.5, ms: 1_500 }],
    );

    const failed = await raymond("w --workflow-id one");

    expect(failed.exitCode).toBe(1);
    expect(await project.run("one")).toMatchObject({
      total_cost_usd: 0.5,
      results: { main_ask1: "answer" },
    });
    await project.write("fixed", "");
    expect(await raymond("--resume one")).toMatchObject({ exitCode: 0, stdout: "ok\n" });
    expect(await calls()).toHaveLength(1);
  });
});
