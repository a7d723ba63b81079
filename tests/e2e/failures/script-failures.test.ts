import { readdir, stat } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { resultScript, scene } from "../scene.ts";

describe("a failing script", () => {
  it.each([
    ["an exit code", "echo lost key >&2; exit 3", ["exit code 3", "lost key"]],
    ["a signal of its own", "echo dying >&2; kill -SEGV $$", ["ended by SIGSEGV", "dying"]],
    ["a tag, but an exit code too", `${resultScript("x")}exit 1`, ["exit code 1", "nothing to"]],
    ["no such command", "no-such-command", ["exit code 127", "no-such-command"]],
  ])(
    "fails with the script's name, how it ended and its last words: %s",
    async (_, text, words) => {
      const { raymond } = await scene({ "w/START.sh": `${text}\n` });

      const failed = await raymond("w --workflow-id one");

      expect(failed).toMatchObject({ exitCode: 1, stdout: "" });
      expect(failed.stderr).toContain("The script START.sh");
      for (const word of words) expect(failed.stderr).toContain(word);
      expect(failed.stderr).toContain("resume with: raymond resume one");
    },
  );

  it("is repeated if it was killed from outside, as after a crash", async () => {
    const { raymond } = await scene({
      "w/START.sh": `if [ ! -e killed ]; then touch killed; kill -9 $$; fi\n${resultScript("done")}`,
    });

    const done = await raymond("w");

    expect(done).toMatchObject({ exitCode: 0, stdout: "done\n" });
    expect(done.stderr).toContain("The script START.sh was ended by SIGKILL");
  });

  it("is stopped when it prints without end, and its output costs neither memory nor disk", async () => {
    const { project, raymond } = await scene({ "w/START.sh": "yes aaaaaaaaaaaaaaaaaaaaaaaa\n" });

    const failed = await raymond("w --workflow-id one --script-timeout 1s");

    expect(failed.exitCode).toBe(1);
    expect(failed.stderr).toMatch(/did not end within 1s.*\n +hint: .*--script-timeout/s);
    const folder = path.join(project.dir, ".raymond", "debug", "one");
    const files = await readdir(folder);
    const sizes = await Promise.all(
      files.map(async (file) => (await stat(path.join(folder, file))).size),
    );
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(80 * 1024 ** 2);
  });

  it("does not hold up its run with a child that keeps its output open", async () => {
    const { raymond, project } = await scene({
      "w/START.sh": `sleep 50 &\n${resultScript("left")}`,
    });

    const done = await raymond("w");

    expect(done).toMatchObject({ exitCode: 0, stdout: "left\n" });
    // It was not waited for: there was something left to end.
    expect(done.stderr).toMatch(/left a process running; raymond terminated it: sleep 50/);
    expect(await project.orphans()).toEqual([]);
  });

  it("gets data as variables, and never as a command", async () => {
    const { raymond, project } = await scene({
      "w/START.sh": 'echo "<fork next=\\"END\\" item=\\"\\$(touch owned)\\">WORK</fork>"\n',
      "w/WORK.sh": 'echo "<result>$item $who</result>"\n',
      "w/END.sh": 'echo "<result>$RAYMOND_RESULT/$who</result>"\n',
    });

    const done = await raymond(["w", "--workflow-id", "one", "--var", "who=$(touch owned) `id`"]);

    expect(done).toMatchObject({ exitCode: 0, stdout: "/$(touch owned) `id`\n" });
    expect((await project.run("one")).results["main_work1"]).toBe("$(touch owned) ");
    await expect(project.read("owned")).rejects.toThrow("ENOENT");
  });
});
