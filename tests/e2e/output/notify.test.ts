import { describe, expect, it } from "vitest";
import { resultScript, scene } from "../scene.ts";

describe("--notify", () => {
  it("reports a failure that ends the run once, and the end after a resume", async () => {
    const { project, raymond } = await scene({
      "START.sh": `[ -e fixed ] || exit 3\n${resultScript("done")}`,
    });

    const failed = await raymond([".", "--workflow-id", "one", "--notify", "cat >> news"]);
    await project.write("fixed", "");
    const resumed = await raymond("--resume one");

    expect([failed.exitCode, resumed.exitCode]).toEqual([1, 0]);
    const news = (await project.read("news")).trimEnd().split("\n");
    expect(news.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { type: "run.ended", run: "one", workflow: project.dir, status: "failed" },
      { type: "run.ended", run: "one", status: "completed", results: { main: "done" } },
    ]);
  });

  it("reports a failure immediately while other agents continue", async () => {
    const { project, raymond } = await scene({
      "START.sh": 'echo "<fork next=\\"END\\">BAD</fork>"\n',
      "BAD.sh": "exit 3",
      "END.sh": `until grep -q agent.failed news; do sleep 0.2; done\n${resultScript("done")}`,
    });

    const end = await raymond([".", "--keep-going", "--notify", "cat >> news"]);

    expect(end.exitCode).toBe(1);
    const news = (await project.read("news")).trimEnd().split("\n");
    expect(news.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { type: "agent.failed", agent: "main_bad1" },
      { type: "run.ended", status: "failed" },
    ]);
  });

  it("does not touch a run when the command fails, and leaves standard output to the result", async () => {
    const { raymond } = await scene({ "START.sh": resultScript("done") });

    const end = await raymond([".", "--notify", "echo noise; echo no route >&2; exit 7"]);

    expect(end).toMatchObject({ exitCode: 0, stdout: "done\n" });
    expect(end.stderr).toMatch(/warning: .*--notify.*exit code 7: no route/);
    expect(end.stderr).not.toContain("noise");
  });

  it("uses the command of a configuration file, and shows its source", async () => {
    const { project, raymond } = await scene({
      "START.sh": resultScript("done"),
      ".raymond/config.toml": '[raymond]\nnotify = "cat > news"\n',
    });

    const end = await raymond(". --trust-project");

    expect(end.exitCode).toBe(0);
    expect(end.stderr).toMatch(/notify = "cat > news" comes from .*config\.toml:2/);
    expect(await project.read("news")).toContain("run.ended");
  });
});
