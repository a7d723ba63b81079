import { rm } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { replayCommand } from "../../../src/cli/commands/author/replay.ts";
import { testShell } from "../../support/test-shell.ts";
import { compact, scene } from "./scene.ts";

const START =
  "---\nallowed_transitions:\n  - { tag: goto, target: NEXT }\n  - { tag: result }\n---\nDo {{input}}.\n";
const FILES = {
  "w/START.md": START,
  "w/NEXT.md": "---\nallowed_transitions: [{ tag: result, verify: GATE }]\n---\nCheck.\n",
  "w/GATE.sh": "true\n",
  "w/GATE.bat": "@rem\r\n",
  "w/a.sim.yaml":
    "states:\n  START: [{ reply: none, cost: 0.3 }, { reply: <goto>NEXT</goto>, cost: 0.4 }]\n  NEXT: [{ reply: <result>1</result> }]\n",
};

/** A run of that workflow, and `raymond replay` of it. */
async function afterRun() {
  const made = await scene(FILES);
  await made.run("w", {}, "it");
  const replay = async (options: { readonly json?: true; readonly workflow?: string } = {}) => {
    const shell = testShell(made.dir, process.env);
    const code = await replayCommand({ run: "r", ...options }, shell);
    return { code, out: shell.stdout() };
  };
  return { ...made, replay };
}

describe("raymond replay", () => {
  it("reports that a run is reproducible, with its cost", async () => {
    const { replay } = await afterRun();

    expect(await replay()).toEqual({
      code: 0,
      out: "r would not change: 4 attempts, $0.71.\n",
    });
  });

  it("reports the changed prompt line by line, and the valid steps before it", async () => {
    const { replay, write } = await afterRun();
    await write("w/NEXT.md", FILES["w/NEXT.md"].replace("Check.", "Check it."));

    expect(await replay()).toEqual({
      code: 1,
      out: [
        "r diverges in NEXT.md: main, step 3.",
        "The prompt has changed (- recorded, + now):",
        "  - Check.",
        "  + Check it.",
        "    ",
        "Valid up to there: 2 of 4 attempts, $0.70 of $0.71.",
        "",
      ].join("\n"),
    });
  });

  it.each([
    [
      "a rule that is gone",
      "w/START.md",
      START.replace("  - { tag: goto, target: NEXT }\n", ""),
      // In the reminder, which lists the rules.
      "step 2.\nThe prompt has changed",
    ],
    [
      "a gate",
      "w/NEXT.md",
      "---\nallowed_transitions: [{ tag: result }]\n---\nCheck.\n",
      "  - <result>1</result> after the gate GATE.sh\n  + <result>1</result>\n",
    ],
    ["a rule that leads nowhere", "w/START.md", START.replace("NEXT", "NXET"), "+ a failure: "],
    ["a state that is left out", "w/NEXT.md", null, "Unknown state"],
  ])("says where %s makes the same outcome lead elsewhere", async (_, file, text, words) => {
    const { dir, replay, write } = await afterRun();
    if (text === null) await rm(path.join(dir, file));
    else await write(file, text);

    const { code, out } = await replay();

    expect(code).toBe(1);
    expect(out).toContain(words);
    expect(out).toContain("Valid up to there:");
  });

  it("reports prompts without a record as unknown", async () => {
    const { dir, replay } = await afterRun();
    await rm(path.join(dir, ".raymond/debug"), { recursive: true });

    const { code, out } = await replay();

    expect(code).toBe(0);
    expect(out).toContain("3 prompts could not be compared");
  });

  it("re-evaluates against a named workflow", async () => {
    const { replay, write } = await afterRun();
    await write("START.md", "Something else.\n");

    const { out } = await replay({ workflow: "START.md" });

    expect(out).toContain("r diverges in START.md: main, step 1.");
    expect(out).toContain("+ Something else.");
  });

  it("prints JSON", async () => {
    const { replay, write } = await afterRun();
    await write("w/START.md", START.replace("Do", "Make"));

    const { code, out } = await replay({ json: true });

    expect(code).toBe(1);
    expect(JSON.parse(out)).toEqual({
      workflow_id: "r",
      same: false,
      attempts: 4,
      valid_attempts: 0,
      cost_usd: 0.71,
      valid_usd: 0,
      prompts_not_compared: 0,
      not_replayed: null,
      divergence: {
        agent: "main",
        state: "START.md",
        process: 1,
        why: "prompt",
        recorded: "Do it.\n",
        now: "Make it.\n",
      },
    });
  });

  it("re-evaluates a compacted journal, and reports its first step", async () => {
    const { dir, replay } = await afterRun();
    await compact(dir, 3);

    expect(await replay()).toEqual({
      code: 0,
      out: [
        "r would not change: 2 attempts, $0.0100.",
        "Not evaluated: its journal was compacted and starts at step 4.",
        "",
      ].join("\n"),
    });
  });

  it("refuses a run without a journal, and names a run that does not exist", async () => {
    const { dir, replay } = await afterRun();
    await rm(path.join(dir, ".raymond/runs/r/journal.jsonl"));

    await expect(replay()).rejects.toMatchObject({ code: "run/not-recorded" });
    const shell = testShell(dir, process.env);
    await expect(replayCommand({ run: "none" }, shell)).rejects.toMatchObject({
      code: "store/unknown-run",
    });
  });
});
