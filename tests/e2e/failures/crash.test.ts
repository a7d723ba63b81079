import { describe, expect, it } from "vitest";
import { resultScript, scene, waitForFile } from "../scene.ts";

const STATE = ".raymond/workflows/one.json";
const LOG = ".raymond/runs/one/events.jsonl";
const promptOf = (process: number) => `.raymond/debug/one/main_START_${String(process)}.prompt.md`;
const WORKING = { before: "working", tools: [{ name: "Bash", ms: 60_000 }], say: "x" };
const DONE = { say: "<result>done</result>" };

describe("a crash of raymond", () => {
  it("in an accepted prompt: its session continues with a short note", async () => {
    const { project, raymond, start, calls } = await scene({ "w/START.md": "The whole prompt." }, [
      WORKING,
      DONE,
    ]);
    const first = start("w --workflow-id one");
    await project.fileWith(STATE, (text) => text.includes('"accepted": true'));
    first.kill("SIGKILL");
    expect((await first.exit).signal).toBe("SIGKILL");

    const resumed = await raymond("--resume one");

    expect(resumed).toMatchObject({ exitCode: 0, stdout: "done\n" });
    expect(resumed.stderr).toContain("still alive; raymond terminated it");
    const [sent, note] = await calls();
    expect(note).toMatchObject({ mode: "resume", session: sent?.session });
    expect(note?.prompt).toContain("You were interrupted");
    expect(note?.prompt).not.toContain("The whole prompt.");
    expect(await calls()).toHaveLength(2);
  });

  it("before the prompt was accepted: the complete prompt is sent again in a new session", async () => {
    const { raymond, start, calls, called } = await scene({ "w/START.md": "Got: {{result}}" }, [
      { do: "hang-before-init" },
      DONE,
    ]);
    const first = start("w --workflow-id one --input hello");
    await called(1);
    first.kill("SIGKILL");
    await first.exit;

    const resumed = await raymond("--resume one");

    expect(resumed).toMatchObject({ exitCode: 0, stdout: "done\n" });
    const asked = await calls();
    expect(asked.map(({ prompt }) => prompt)).toEqual(["Got: hello", "Got: hello"]);
    expect(asked.map(({ mode }) => mode)).toEqual(["fresh", "fresh"]);
    expect(new Set(asked.map(({ session }) => session)).size).toBe(2);
  });

  it("in a script: it is run again with a note, after its orphan processes are terminated", async () => {
    const { project, raymond, start } = await scene({
      "w/START.sh": 'echo "<goto>WORK</goto>"\n',
      "w/WORK.sh": `echo "$RAYMOND_ATTEMPT" >>tries\n[ "$RAYMOND_ATTEMPT" = 1 ] && sleep 60\n${resultScript("$RAYMOND_ATTEMPT")}`,
    });
    const first = start("w --workflow-id one");
    await project.fileWith("tries");
    first.kill("SIGKILL");
    await first.exit;
    const { stdout } = await raymond("status one");
    expect(stdout).toMatch(/^status +crashed$/m);
    expect(stdout).toMatch(
      /^alive +\d+ process.*\n +\d+ {2}.*WORK\.sh[\s\S]*^ +raymond stop one$/m,
    );
    expect((await raymond("list")).stdout).toMatch(/^one +crashed/m);

    const resumed = await raymond("--resume one");

    expect(resumed).toMatchObject({ exitCode: 0, stdout: "2\n" });
    expect(await project.read("tries")).toBe("1\n2\n");
    expect(await project.orphans()).toEqual([]);
  });

  it("in a script that starts processes on SIGTERM: they are terminated before it is run again", async () => {
    const { project, raymond, start } = await scene({
      "w/START.sh": `
        if [ "$RAYMOND_ATTEMPT" = 1 ]; then
          trap '(while :; do echo >>ticks; sleep 0.02; done) & until [ -e ticks ]; do :; done; exit' TERM
          echo >trapped
          while :; do sleep 0.02; done
        fi
        before=$(wc -l <ticks); sleep 0.2; after=$(wc -l <ticks)
        echo "<result>$((after - before))</result>"`,
    });
    const first = start("w --workflow-id one");
    await project.fileWith("trapped");
    first.kill("SIGKILL");
    await first.exit;

    expect(await raymond("--resume one")).toMatchObject({ exitCode: 0, stdout: "0\n" });
  });

  it("reuses no event number and overwrites no debug file", async () => {
    const { project, raymond, start } = await scene({ "w/START.md": "The whole prompt." }, [
      WORKING,
      DONE,
    ]);
    const first = start("w --workflow-id one");
    await project.fileWith(STATE, (text) => text.includes('"accepted": true'));
    await project.fileWith(LOG, (text) => text.includes('"step.started"'));
    await project.fileWith(promptOf(1), (text) => text !== "");
    first.kill("SIGKILL");
    await first.exit;

    expect((await raymond("--resume one")).exitCode).toBe(0);

    const lines = (await project.read(LOG)).trim().split("\n");
    const events = lines.map((line) => JSON.parse(line) as { seq: number; type: string });
    // The last events may not have been written before the kill.
    for (const [index, { seq, type }] of events.entries()) {
      const last = events[index - 1]?.seq ?? 0;
      if (type === "run.resumed") expect(seq).toBeGreaterThan(last);
      else expect(seq).toBe(last + 1);
    }
    expect(events.map(({ type }) => type)).toEqual(
      expect.arrayContaining(["run.started", "run.resumed", "run.ended"]),
    );
    expect(await project.read(promptOf(1))).toContain("The whole prompt.");
    expect(await project.read(promptOf(2))).toContain("You were interrupted");
  });
});

describe("a step that is tried again", () => {
  const COUNT = "beats() { cat heartbeats/* 2>/dev/null | wc -l; }\n";
  const CHECK = `${COUNT}before=$(beats); sleep 0.3; echo "<result>$(($(beats) - before))</result>"\n`;

  it("because its client died alone: processes of its tools are killed first", async () => {
    const { raymond, calls } = await scene({ "w/START.md": "Work.", "w/CHECK.sh": CHECK }, [
      { do: ["heartbeat", "die-streaming"], say: "x" },
      { say: "<goto>CHECK</goto>" },
    ]);

    const done = await raymond("w");

    expect(done).toMatchObject({ exitCode: 0, stdout: "0\n" });
    expect(done.stderr).toContain("left a process running; raymond terminated it");
    expect(await calls()).toHaveLength(2);
  });

  it("because its script failed: processes of the script are killed first", async () => {
    const { raymond } = await scene({
      "w/START.sh": `# raymond: retries=1 backoff=10ms
        if [ "$RAYMOND_ATTEMPT" = 1 ]; then
          mkdir heartbeats
          setsid bash -c 'while :; do echo >>heartbeats/1; sleep 0.02; done' >/dev/null 2>&1 &
          until [ -e heartbeats/1 ]; do sleep 0.02; done; exit 1
        fi
        ${CHECK}`,
    });

    expect(await raymond("w")).toMatchObject({ exitCode: 0, stdout: "0\n" });
  });
});

describe("a run that another process holds", () => {
  it("is not run twice: exit code 6, with pid and host", async () => {
    const { project, raymond, start } = await scene({
      "w/START.sh": waitForFile("go", resultScript("ok")),
    });
    const first = start("w --workflow-id one");
    await first.waitForStderr(/START\.sh/);

    for (const line of ["--resume one", `--resume ${STATE}`, "prune one"]) {
      const refused = await raymond(line);
      expect(refused).toMatchObject({ exitCode: 6, stdout: "" });
      expect(refused.stderr).toMatch(new RegExp(`locked by process ${String(first.pid)} on \\S+`));
    }
    const status = await raymond("status one");
    expect(status.stdout).toMatch(new RegExp(`status +running \\(pid ${String(first.pid)} on `));
    expect((await raymond("list")).stdout).toMatch(/^one +running/m);

    await project.write("go", "");
    expect(await first.exit).toMatchObject({ exitCode: 0, stdout: "ok\n" });
    expect((await raymond("list")).stdout).toMatch(/^one +completed/m);
  });
});

describe("the workflow of a run", () => {
  it("is missing: exit code 7 with a hint, and a resume after it is restored", async () => {
    const { raymond, bash } = await scene({
      "w/START.sh": `[ -e ../ok ] && ${resultScript("ok")}`,
      "sub/x": "x",
    });
    await bash("git init --quiet");
    const failed = await bash("cd sub && raymond ../w --workflow-id one");
    expect(failed.exitCode).toBe(1);

    await bash("rm -r sub");
    const gone = await raymond("--resume one");
    expect(gone).toMatchObject({ exitCode: 7, stdout: "" });
    expect(gone.stderr).toMatch(/launch folder does not exist: .*\/sub .*\nhint: /);

    await bash("mkdir sub; touch ok; mv w elsewhere");
    const scopeless = await raymond("--resume one");
    expect(scopeless.stderr).toMatch(/Cannot find the workflow of run one: .*\/w /);

    await bash("mv elsewhere w");
    expect(await raymond("--resume one")).toMatchObject({ exitCode: 0, stdout: "ok\n" });
  });
});
