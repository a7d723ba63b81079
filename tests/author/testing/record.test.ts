import { rm } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { compact, FLOW, scene } from "./scene.ts";

const SIM =
  "states:\n  START: [{ reply: 'I am done.', cost: 0.5 }]\n  END: [{ reply: 'It is so. <result>yes</result>' }]\n";

/** The flow with these replies, after one run of it. */
async function afterRun(files: Readonly<Record<string, string>> = {}, sim = SIM) {
  const made = await scene({ ...FLOW, "flow/flow.sim.yaml": sim, ...files });
  const run = await made.run("flow", {}, "the work");
  return { ...made, state: run };
}

describe("raymond test --from-run", () => {
  it("writes a passing test with the path and the messages of the run", async () => {
    const { read, test } = await afterRun();

    const { code, out } = await test({ fromRun: "r" });

    expect({ code, out }).toEqual({
      code: 0,
      out: `Wrote ${path.join("flow", "r.test.yaml")} from r. The test passes.\n`,
    });
    const written = await read("flow/r.test.yaml");
    expect(written).toContain("input: the work\n");
    expect(written).toContain("- reply: I am done.\n          cost: 0.5\n");
    expect(written).toContain("path: [START, CHECK, END]\n      result: yes\n");
    expect(await test({ paths: ["flow"] })).toMatchObject({ code: 0 });
  });

  it("reproduces the order of workers, gates, failures and joins", async () => {
    const files = {
      "fan/START.sh":
        'for i in a b c; do echo "<fork item=\\"$i\\" on_error=\\"report\\">WORK</fork>"; done; echo "<join>MERGE</join>"\n',
      "fan/START.bat": "@exit 1\r\n",
      "fan/WORK.md": "Do {{item}}.\n",
      "fan/MERGE.md":
        "---\nallowed_transitions: [{ tag: result, verify: GATE, attempts: 2 }]\n---\nAll: {{result}}\n",
      "fan/GATE.sh": 'if [ -f seen ]; then exit 0; fi; touch seen; echo "not yet"; exit 4\n',
      "fan/GATE.bat": "@exit 1\r\n",
      "fan/a.sim.yaml": [
        "states:",
        "  WORK: [{ reply: '<result>slow {{item}}</result>', delay: 40ms }, { fail: deterministic, message: Broken. }, { reply: no tag }, { reply: '<result>quick {{item}}</result>' }]",
        "  MERGE: [{ reply: <result>first</result>, denied: [{ tool: Bash }] }, { reply: <result>second</result> }]",
        "",
      ].join("\n"),
    };
    const { read, run, test } = await scene(files);
    await run("fan");

    await test({ fromRun: "r" });

    const written = await read("fan/r.test.yaml");
    expect(written).toContain("fail: deterministic\n          message: Broken.");
    expect(written).toContain("- exit: 4\n          output: |\n            not yet\n");
    expect(written).toContain("denied:\n");
    expect(await test({ paths: ["fan"] })).toMatchObject({ code: 0 });
  });

  it("records a failed run, and a fixed and resumed run as a successful one", async () => {
    const broken = SIM.replace("<result>yes</result>", "<goto>NOWHERE</goto>");
    const { dir, read, resume, state, test, write } = await afterRun({}, broken);
    expect(state.status).toBe("failed");

    await test({ fromRun: "r" });
    expect(await read("flow/r.test.yaml")).toContain("status: failed\n");
    expect(await test({ paths: ["flow"] })).toMatchObject({ code: 0 });

    await write("flow/flow.sim.yaml", SIM.replace("END: [", "END: [{ reply: unused }, "));
    expect(await resume()).toMatchObject({ status: "completed" });
    await rm(path.join(dir, "flow/r.test.yaml"));
    await test({ fromRun: "r" });
    expect(await read("flow/r.test.yaml")).not.toContain("NOWHERE");
    expect(await test({ paths: ["flow"] })).toMatchObject({ code: 0 });
  });

  it("records the answers to each agent", async () => {
    const fork =
      "for i in a b; do echo \"<fork item='$i'>ASK</fork>\"; done; echo '<join>MERGE</join>'\n";
    const { read, run, test } = await scene({
      "w/START.sh": fork,
      "w/START.bat": "@exit 1\r\n",
      "w/ASK.md": "Ask about {{item}}.\n",
      "w/NEXT.md": "{{item}}: {{result}}\n",
      "w/MERGE.md": "All: {{result}}\n",
      "w/a.sim.yaml": [
        "states:",
        "  ASK: [{ reply: '<ask next=\"NEXT\">Which {{item}}?</ask>', answer: one }, { reply: '<ask next=\"NEXT\">Which {{item}}?</ask>', answer: two }]",
        "  NEXT: [{ reply: '<result>{{item}} {{input}}</result>', times: 2 }]",
        "  MERGE: [{ reply: '<result>{{result}}</result>' }]",
        "",
      ].join("\n"),
    });
    // One at a time: otherwise it is random which of two workers gets "two".
    const { results } = await run("w", { maxParallel: 1 });

    await test({ fromRun: "r" });

    expect(await read("w/r.test.yaml")).toContain("answer: two");
    expect(Object.values(results).join()).toContain("two");
    expect(await test({ paths: ["w"] })).toMatchObject({ code: 0 });
  });

  it("records states of other workflows by their full names", async () => {
    const { read, run, test } = await scene({
      "w/START.sh": "echo '<function-workflow return=\"END\">../other</function-workflow>'\n",
      "w/START.bat": "@exit 1\r\n",
      "w/END.md": "End with {{result}}.\n",
      "other/START.md": "Say something.\n",
      "w/a.sim.yaml":
        "states:\n  other/START.md: [{ reply: <result>1</result> }]\n  END: [{ reply: <result>2</result> }]\n",
    });
    await run("w");

    await test({ fromRun: "r" });

    const written = await read("w/r.test.yaml");
    expect(written).toContain("other/START.md:\n");
    expect(written).toContain("path: [START, other/START.md, END]\n");
    expect(await test({ paths: ["w"] })).toMatchObject({ code: 0 });
  });

  it("writes the test next to a single-file workflow", async () => {
    const { read, run, test } = await scene({
      "flow.yaml": "states:\n  START: { prompt: Say something. }\n",
      "flow.yaml.sim.yaml": "states:\n  START: [{ reply: <result>1</result> }]\n",
    });
    await run("flow.yaml");

    await test({ fromRun: "r" });

    expect(await read("flow.yaml.test.yaml")).toContain('result: "1"');
    expect(await test({ paths: ["flow.yaml"] })).toMatchObject({ code: 0 });
  });

  it("overwrites nothing, and writes to --output", async () => {
    const { read, test } = await afterRun({ "flow/r.test.yaml": "tests: {}\n" });

    await expect(test({ fromRun: "r" })).rejects.toMatchObject({ code: "test/exists" });
    expect(await read("flow/r.test.yaml")).toBe("tests: {}\n");
    await test({ fromRun: "r", output: "flow/other.test.yaml" });
    expect(await read("flow/other.test.yaml")).toContain("the path of r");
    await expect(test({ output: "x" })).rejects.toMatchObject({ code: "cli/bad-flag" });
  });

  it("refuses a run whose workflow diverges now, and reports where", async () => {
    const { test, write } = await afterRun();
    await write(
      "flow/START.md",
      "---\nallowed_transitions:\n  - { tag: goto, target: END }\n---\nDo {{input}}.\n",
    );

    await expect(test({ fromRun: "r" })).rejects.toMatchObject({
      code: "test/not-testable",
      message: expect.stringContaining("main took another path") as string,
    });
  });

  it.each([
    ["has no journal", "", "it has no journal that can be read"],
    ["has lost its start", "{}\n", "the start of the run is not in its journal"],
  ])("refuses a run that %s", async (_, journal, words) => {
    const { dir, test, write } = await afterRun();
    if (journal === "") await rm(path.join(dir, ".raymond/runs/r/journal.jsonl"));
    else await write(".raymond/runs/r/journal.jsonl", journal);

    await expect(test({ fromRun: "r" })).rejects.toMatchObject({
      code: "run/not-recorded",
      message: expect.stringContaining(words) as string,
    });
  });

  it("refuses a compacted journal, and reports its first step", async () => {
    const { dir, test } = await afterRun();
    await compact(dir, 2);

    await expect(test({ fromRun: "r" })).rejects.toMatchObject({
      code: "run/not-recorded",
      message: expect.stringContaining("compacted and starts at step 3") as string,
    });
  });

  it("refuses a record with a gap", async () => {
    const { read, test, write } = await afterRun();
    const journal = path.join(".raymond/runs/r", "journal.jsonl");
    const lines = (await read(journal)).split("\n");
    await write(journal, lines.toSpliced(1, 1).join("\n"));

    await expect(test({ fromRun: "r" })).rejects.toThrow("its journal has no record of save 2");
  });

  it("refuses a record with another final state, e.g. of another version", async () => {
    const { read, test, write } = await afterRun();
    const journal = path.join(".raymond/runs/r", "journal.jsonl");
    await write(
      journal,
      (await read(journal)).replace('"costMicroUsd":500000', '"costMicroUsd":5'),
    );

    await expect(test({ fromRun: "r" })).rejects.toMatchObject({ code: "run/not-recorded" });
  });

  it("names a run that does not exist", async () => {
    const { test } = await afterRun();

    await expect(test({ fromRun: "none" })).rejects.toMatchObject({ code: "store/unknown-run" });
  });
});
