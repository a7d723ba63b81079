import { describe, expect, it } from "vitest";
import { resultScript, scene, waitForFile } from "../scene.ts";

const STATE = ".raymond/workflows/one.json";
const DONE = { say: "<result>done</result>" };

describe("a signal to raymond", () => {
  it.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGHUP", 143],
  ] as const)("%s interrupts the step, and a resume continues it", async (signal, exitCode) => {
    const { project, raymond, start, calls } = await scene({ "w/START.md": "The whole prompt." }, [
      { before: "working", tools: [{ name: "Bash", ms: 60_000 }], say: "x" },
      DONE,
    ]);
    const first = start("w --workflow-id one");
    await project.fileWith(STATE, (text) => text.includes('"accepted": true'));
    first.kill(signal);

    const stopped = await first.exit;

    expect(stopped).toMatchObject({ exitCode, stdout: "" });
    expect(stopped.stderr).toContain(`${signal}: stopping.`);
    expect(stopped.stderr.match(/stopping/g)).toHaveLength(1);
    expect(stopped.stderr).toContain("resume with: raymond resume one");
    expect(await project.orphans()).toEqual([]);
    expect(await project.run("one")).toMatchObject({ status: "interrupted" });
    expect(await raymond("--resume one")).toMatchObject({ exitCode: 0, stdout: "done\n" });
    expect((await calls()).map(({ mode }) => mode)).toEqual(["fresh", "resume"]);
  });

  it("interrupts a script, which is run again on resume", async () => {
    const { project, raymond, start } = await scene({
      "w/START.sh": `echo x >>tries\n${waitForFile("go", resultScript("$RAYMOND_ATTEMPT"))}`,
    });
    const first = start("w --workflow-id one");
    await project.fileWith("tries");
    first.kill("SIGINT");
    expect((await first.exit).exitCode).toBe(130);
    expect((await raymond("status one")).stdout).toMatch(/^status +interrupted$/m);

    await project.write("go", "");

    expect(await raymond("--resume one")).toMatchObject({ exitCode: 0, stdout: "2\n" });
  });

  it("a second one kills processes that ignore the first", async () => {
    const { project, raymond, start } = await scene(
      { "w/START.sh": 'trap "" INT TERM\necho x >ready\nwhile :; do sleep 0.1; done\n' },
      [],
    );
    const first = start("w --workflow-id one");
    await project.fileWith("ready");
    first.kill("SIGINT");
    await first.waitForStderr(/Press again to kill them/);
    const asked = performance.now();
    first.kill("SIGINT");

    const stopped = await first.exit;

    expect(stopped.exitCode).toBe(130);
    expect(performance.now() - asked).toBeLessThan(3_500);
    expect(await project.orphans()).toEqual([]);
    await project.write("w/START.sh", resultScript("ok"));
    expect(await raymond("--resume one")).toMatchObject({ exitCode: 0, stdout: "ok\n" });
  });

  it("one alone ends it too, within a few seconds", async () => {
    const { project, start } = await scene({
      "w/START.sh": 'trap "" INT TERM\necho x >ready\nwhile :; do sleep 0.1; done\n',
    });
    const first = start("w --workflow-id one");
    await project.fileWith("ready");
    first.kill("SIGINT");

    expect((await first.exit).exitCode).toBe(130);

    expect(await project.orphans()).toEqual([]);
  });

  it("ends a wait for a usage limit", async () => {
    const { project, raymond, start } = await scene({ "w/START.md": "Do it." }, [
      { do: "limit", resetsAt: Math.floor(Date.now() / 1000) + 3600 },
    ]);
    const first = start("w --workflow-id one");
    await project.fileWith(STATE, (text) => text.includes('"status": "waiting"'));
    expect((await raymond("status one")).stdout).toMatch(/^status +waiting \(pid/m);
    expect((await raymond("status one")).stdout).toMatch(/^wait +until .*limit/m);

    first.kill("SIGINT");

    expect((await first.exit).exitCode).toBe(130);
  });

  it.runIf(process.platform === "linux")(
    "is not needed to end it cleanly when its terminal is closed: 143, and it can be resumed",
    async () => {
      const { project, bash, raymond } = await scene({
        "w/START.sh": `echo x >ready\n${waitForFile("go", resultScript("ok"))}`,
      });
      await project.write(
        "run.sh",
        'trap : HUP\neval "$RAYMOND w --workflow-id one"\necho $? >code\n',
      );

      await bash(`
        script -qec "bash run.sh" /dev/null </dev/null >seen & terminal=$!
        until [ -e ready ]; do sleep 0.2; done
        kill -KILL $terminal
        until [ -s code ]; do sleep 0.2; done`);

      expect(await project.read("code")).toBe("143\n");
      expect(await project.run("one")).toMatchObject({ status: "interrupted" });
      await project.write("go", "");
      expect(await raymond("--resume one")).toMatchObject({ exitCode: 0, stdout: "ok\n" });
    },
  );
});
