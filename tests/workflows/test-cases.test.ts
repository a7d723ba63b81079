import { access } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { tempProject } from "../support/project.ts";
import { WORKFLOWS } from "./sample.ts";
import { simulate } from "./simulate.ts";

describe("workflows/test_cases", () => {
  it.each([
    ["SCRIPT_GOTO", "went to the end", ["SCRIPT_GOTO.sh", "SCRIPT_GOTO_END.sh"]],
    [
      "SCRIPT_RESULT",
      "the first line\n  the second, with its blanks kept & <b>signs</b> of all kinds",
      ["SCRIPT_RESULT.sh"],
    ],
    ["SCRIPT_RESET", "came by 3 times", Array<string>(3).fill("SCRIPT_RESET.sh")],
    ["SCRIPT_RESET_CD", "in elsewhere", ["SCRIPT_RESET_CD.sh", "SCRIPT_RESET_CD_END.sh"]],
    [
      "SCRIPT_CALL",
      "the child said: hello from the child",
      ["SCRIPT_CALL.sh", "SCRIPT_CALL_CHILD.sh", "SCRIPT_CALL_BACK.sh"],
    ],
    [
      "SCRIPT_FUNCTION",
      "the child said: hello from the child",
      ["SCRIPT_FUNCTION.sh", "SCRIPT_FUNCTION_CHILD.sh", "SCRIPT_FUNCTION_BACK.sh"],
    ],
    ["SCRIPT_ASK", "the person said Yes", ["SCRIPT_ASK.sh", "SCRIPT_ASK_END.sh"]],
    [
      "SCRIPT_JOIN",
      JSON.stringify(
        ["north", "south"].map((item, index) => ({
          ...{ agent: `main_script${String(index + 1)}`, state: "SCRIPT_FORK_MANY_WORKER.sh" },
          ...{ attributes: { item }, ok: true, result: `${item}: wind from the ${item}` },
        })),
      ),
      ["SCRIPT_JOIN.sh", "SCRIPT_JOIN_END.sh"],
    ],
    ["SCRIPT_DELAY", "went to the end", ["SCRIPT_DELAY.sh", "SCRIPT_GOTO_END.sh"]],
    ["SCRIPT_POLL", "ready after 3 looks", Array<string>(4).fill("SCRIPT_POLL.sh")],
    [
      "HYBRID",
      "the model says: odd",
      ["HYBRID.sh", "HYBRID_PROMPT.md", "HYBRID_CHILD.md", "HYBRID_END.sh"],
    ],
  ])("%s has the expected result and path", async (entry, result, states) => {
    const project = await tempProject({});

    const done = await simulate(`test_cases/${entry}`, project);

    expect(done).toMatchObject({ exitCode: 0, stdout: `${result}\n` });
    expect(done.visited("main")).toEqual(states);
    expect(done.run.total_cost_usd).toBeCloseTo(entry === "HYBRID" ? 0.003 : 0, 6);
  });

  it("HYBRID_GATED is returned once by its gate, then passes", async () => {
    const project = await tempProject({});

    const done = await simulate("test_cases/HYBRID_GATED", project);

    expect(done).toMatchObject({ exitCode: 0, stdout: "written\n" });
    expect(await project.read("hybrid_gate_seen.txt")).toBe("seen\n");
  });

  it.each([
    ["SCRIPT_FORK", "fork_worker.txt", "main_script1: issue-7, high\n"],
    ["SCRIPT_FORK_CD", "elsewhere/fork_worker.txt", "main_script1: issue-8, low\n"],
  ])(
    "%s gives a worker its attributes and its folder, and the parent neither",
    async (entry, file, text) => {
      const project = await tempProject({});
      const item = text.replace(/.*: |,.*\n/g, "");

      const done = await simulate(`test_cases/${entry}`, project);

      expect(done).toMatchObject({ exitCode: 0, stdout: "parent continued\n" });
      expect(done.visited("main")).toEqual([`${entry}.sh`, "SCRIPT_FORK_NEXT.sh"]);
      expect(done.visited("main_script1")).toEqual(["SCRIPT_FORK_WORKER.sh"]);
      expect(done.run.results).toMatchObject({ main_script1: `did ${item}` });
      expect(await project.read(file)).toBe(text);
    },
  );

  it("SCRIPT_FORK_MANY starts three concurrent workers with separate payloads", async () => {
    const done = await simulate("test_cases/SCRIPT_FORK_MANY", await tempProject({}));

    expect(done).toMatchObject({ exitCode: 0, stdout: "three were sent\n" });
    expect(done.run.results).toMatchObject({
      main_script1: "north: wind from the north",
      main_script2: "south: wind from the south",
      main_script3: "west: wind from the west",
    });
    expect(done.visited("main")).toEqual(["SCRIPT_FORK_MANY.sh", "SCRIPT_FORK_MANY_END.sh"]);
  });

  it("SCRIPT_RESET_FRAMES loops with reset inside a call, and returns", async () => {
    const done = await simulate("test_cases/SCRIPT_RESET_FRAMES", await tempProject({}));

    expect(done).toMatchObject({ exitCode: 0, stdout: "back after 3 rounds\n" });
  });

  it("SCRIPT_ENV gets run, file, input and variables", async () => {
    const project = await tempProject({});

    const done = await simulate("test_cases/SCRIPT_ENV.sh", project, [
      ...["--input", "hello, there", "--var", "item=a b"],
    ]);

    expect(done.stdout.split("\n")).toEqual([
      "workflow: wf-test",
      "agent: main",
      `folder: ${join(WORKFLOWS, "test_cases")}`,
      `file: ${join(WORKFLOWS, "test_cases", "SCRIPT_ENV.sh")}`,
      "attempt: 1",
      "result: hello, there",
      "item: a b",
      "",
    ]);
  });

  it("SCRIPT_ENV has no variables that were not set", async () => {
    const done = await simulate("test_cases/SCRIPT_ENV", await tempProject({}));

    expect(done.stdout).toContain("\nresult: (none)\nitem: (none)\n");
  });

  it.each([
    ["SCRIPT_FAIL", /the disk is on fire/],
    ["SCRIPT_NO_TAG", /[Nn]o transition tag/],
    ["SCRIPT_TWO_TAGS", /2 transition tags/],
    ["SCRIPT_TIMEOUT", /SCRIPT_TIMEOUT\.sh/],
  ])("%s fails at once, with the reason", async (entry, reason) => {
    const project = await tempProject({});

    const failed = await simulate(`test_cases/${entry}`, project);

    expect(failed).toMatchObject({ exitCode: 1, stdout: "", run: { status: "failed" } });
    expect(failed.stderr).toMatch(reason);
    expect(failed.visited("main")).toEqual([`${entry}.sh`]);
  });

  it("leaves no counters behind", async () => {
    const project = await tempProject({});

    await simulate("test_cases/SCRIPT_RESET", project);

    await expect(access(join(project.dir, "script_reset_wf-test.count"))).rejects.toThrow("ENOENT");
  });
});
