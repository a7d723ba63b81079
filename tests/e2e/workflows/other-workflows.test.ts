import { rename, rm, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { zipOf } from "../../support/disk/zips.ts";
import { refusal, scene, waitForFile } from "../scene.ts";

const CALL =
  "---\nallowed_transitions:\n  - { tag: call-workflow, target: ../lib, return: DONE }\n---\n";

const LIB = {
  "lib/START.sh": `echo "<goto input='$RAYMOND_INPUT at \${RAYMOND_STATE_DIR##*/}'>NEXT</goto>"\n`,
  "lib/NEXT.sh": `echo "<result>lib received $RAYMOND_INPUT</result>"\n`,
};

/** The script that enters this path, and ends with what came back. */
const main = (path: string) => ({
  "w/START.sh": `echo '<function-workflow return="DONE" input="hello">${path}</function-workflow>'\n`,
  "w/DONE.sh": `echo "<result>$RAYMOND_RESULT, back at \${RAYMOND_STATE_DIR##*/}</result>"\n`,
});

describe("a script that calls another workflow", () => {
  it("gets its result back into its own, and each state sees the folder of its workflow", async () => {
    const { project, raymond } = await scene({ ...main("../lib"), ...LIB });

    const done = await raymond("w --workflow-id one");

    expect(done.stdout).toBe("lib received hello at lib, back at w\n");
    expect(done.stderr).toContain("lib/START.sh");
    const events = await project.read(".raymond/runs/one/events.jsonl");
    expect(events).toContain('"state":"lib/NEXT.sh"');
    expect(events).toContain('"tag":"function-workflow","target":"../lib","return":"DONE.sh"');
  });

  it("continues after a kill from the copy of the run if the zip is deleted", async () => {
    const files = { "START.sh": waitForFile("go", LIB["lib/NEXT.sh"]) };
    const { project, raymond, start } = await scene(main("../lib.zip"));
    await writeFile(path.join(project.dir, "lib.zip"), zipOf(files));
    const run = start("w --workflow-id one");
    await project.fileWith(".raymond/workflows/one.json", (text) => text.includes('"lib.zip@'));
    run.kill("SIGKILL");
    await run.exit;
    await rm(path.join(project.dir, "lib.zip"));
    await project.write("go", "");

    const done = await raymond("--resume one");

    expect(done.stdout).toBe("lib received hello, back at w\n");
    expect((await raymond("prune --all --yes")).exitCode).toBe(0);
  });

  it("fails if the folder is missing, names it, and resumes when it is restored", async () => {
    const lib = { "lib/START.sh": `touch in\n${waitForFile("go", "echo '<goto>NEXT</goto>'")}` };
    const { project, raymond, start } = await scene({ ...main("../lib"), ...LIB, ...lib });
    const folder = path.join(project.dir, "lib");
    const run = start("w --workflow-id one");
    await project.fileWith("in", () => true);
    run.kill("SIGKILL");
    await run.exit;
    await rename(folder, `${folder}-away`);

    const gone = await raymond("--resume one");
    expect(gone.exitCode).toBe(1);
    expect(gone.stderr).toContain(`Cannot read the workflow folder ${folder}`);
    expect((await raymond("status one")).stdout).toContain("main at lib/START.sh");
    await rename(`${folder}-away`, folder);
    await project.write("go", "");

    expect((await raymond("--resume one")).stdout).toMatch(/^lib received .*back at w\n$/);
  });

  it.each([
    ["/etc", "must be relative"],
    ["../../elsewhere", "which is outside"],
    ["../escape", ", a link to "],
    ["../nothing", "No workflow found"],
  ])("fails at %s, and nothing of it runs", async (written, words) => {
    const { project, raymond } = await scene({ ...main(written), ...LIB });
    await symlink("/etc", path.join(project.dir, "escape"));

    const failed = await raymond("w");

    expect(failed.exitCode).toBe(1);
    expect(failed.stderr).toContain(words);
  });

  it("that never comes back ends as a failure that names the limit", async () => {
    const again = `echo '<function-workflow return="START">../w</function-workflow>'\n`;
    const { raymond } = await scene({ "w/START.sh": again });

    const failed = await raymond("w");

    expect(failed.exitCode).toBe(1);
    expect(failed.stderr).toContain("limit of 32 nested workflow calls reached");
  });

  it("fails before it runs if a required variable is missing", async () => {
    const takes = "input: { required: true }\nvars: { repo: { required: true } }\n";
    const files = { ...main("../lib"), ...LIB, "lib/workflow.yaml": takes };
    const { raymond } = await scene(files);

    const failed = await raymond("w");
    const given = await raymond("w --var repo=here");

    expect(failed.stderr).toContain("The workflow ../lib requires the variable repo");
    expect(failed.stderr).not.toContain("lib/START.sh");
    expect(given.stdout).toContain("lib received hello");
  });
});

describe("fork-workflow and reset-workflow", () => {
  it("start a worker named after the path, and leave for good", async () => {
    const { raymond } = await scene({
      "w/START.sh": `echo '<fork-workflow item="7">../lib/WORK</fork-workflow><fork-workflow item="8">../lib</fork-workflow><join>ON</join>'\n`,
      "w/ON.sh": `printf '<reset-workflow input="%s">../lib/END</reset-workflow>' "$(tr -d '"' <"$RAYMOND_RESULT_FILE")"\n`,
      "lib/START.sh": `echo "<goto>WORK</goto>"\n`,
      "lib/WORK.sh": `echo "<result>did $item</result>"\n`,
      "lib/END.sh": `echo "<result>$RAYMOND_INPUT</result>"\n`,
    });

    const { stdout } = await raymond("w");

    expect(stdout).toContain("agent:main_work1,state:lib/WORK.sh,attributes:{item:7},ok:true");
    expect(stdout).toContain("agent:main_lib2,state:lib/START.sh,attributes:{item:8}");
    expect(stdout).toContain("result:did 8");
  });
});

describe("a prompt", () => {
  it("enters the workflow that its rule names, in a branch of its conversation", async () => {
    const { raymond, calls } = await scene(
      {
        "w/START.md": `${CALL}Ask the library.`,
        "w/DONE.md": "Report {{result}}.",
        "lib/START.md": "Answer from {{state_dir}}.",
      },
      [
        { say: '<call-workflow return="DONE">../lib</call-workflow>' },
        { say: "<result>42</result>" },
        { say: "<result>it is 42</result>" },
      ],
    );

    const done = await raymond("w");

    expect(done.stdout).toBe("it is 42\n");
    const [first, second, third] = await calls();
    expect(second?.argv).toContain("--fork-session");
    expect(second?.prompt).toMatch(/^Answer from .*\/lib\.\s*$/);
    expect(third?.prompt).toContain("Report 42.");
    expect(first?.argv.join(" ")).toContain("--session-id");
  });

  it("is reminded if no rule of its state allows the workflow", async () => {
    const { raymond, calls } = await scene(
      { "w/START.md": `${CALL}Go.`, "w/DONE.sh": "", ...LIB, "evil/START.sh": "touch ../broken\n" },
      [
        { say: '<call-workflow return="DONE">../evil</call-workflow>' },
        { say: '<call-workflow return="DONE">/evil</call-workflow>' },
        { say: '<function-workflow return="DONE">../lib</function-workflow>' },
        { say: "no" },
      ],
    );

    await raymond("w");

    const reminders = (await calls()).slice(1).map(({ prompt }) => prompt);
    expect(reminders[0]).toContain("is not allowed in this state");
    expect(reminders[0]).toContain('<call-workflow return="DONE">../lib</call-workflow>');
    expect(reminders[1]).toContain("is absolute");
    expect(reminders[2]).toContain("is not allowed in this state");
  });

  it("without rules enters none", async () => {
    const { raymond } = await scene({ "w/START.md": "Go.", "w/DONE.sh": "", ...LIB }, [
      { say: '<call-workflow return="DONE">../lib</call-workflow>' },
    ]);

    const failed = await raymond("w");

    expect(failed.exitCode).toBe(1);
    expect(failed.stderr).toContain("only if a rule of its state names the path");
  });

  it.each([
    ["{ tag: call-workflow, return: DONE }", /START\.md:2:\d+: .*has no target/],
    ["{ tag: call-workflow, target: /etc, return: DONE }", /is absolute/],
    ["{ tag: call-workflow, target: ../gone, return: DONE }", /START\.md:2:\d+: .*can never match/],
    ["{ tag: call-workflow, target: ../../../x, return: DONE }", /which is outside/],
  ])("is never paid for with the rule %s", async (rule, words) => {
    const text = `---\nallowed_transitions: [${rule}]\n---\nGo.`;
    const { raymond, calls } = await scene({ "w/START.md": text, "w/DONE.sh": "" });

    const failed = await raymond("w");

    expect(failed.exitCode).not.toBe(0);
    expect(`${refusal(failed)}${failed.stderr}`).toMatch(words);
    expect((await calls()).filter(({ argv }) => argv.includes("-p"))).toEqual([]);
  });
});
