import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { runCommandLine } from "../../../../src/cli/parse/tree.ts";
import type { Shell } from "../../../../src/cli/shell.ts";
import { exitCodeOf } from "../../../../src/cli/words/exit-codes.ts";
import { scene } from "../../../author/testing/scene.ts";
import { type TestShell, testShell } from "../../../support/test-shell.ts";

const FILES = {
  "w/START.md": "Begin.\n",
  "w/NEXT.md": "Continue.\n",
  "w/a.sim.yaml":
    "states:\n  START: [{ reply: <goto>NEXT</goto>, cost: 0.3 }]\n  NEXT: [{ reply: <result>end</result>, cost: 0.4 }]\n",
};

/** A run `r` of that workflow, and `raymond rerun r` with these words. */
async function afterRun(shell: Partial<Shell> = {}) {
  const made = await scene(FILES);
  await made.run("w");
  const rerun = async (...words: readonly string[]) => {
    const one: TestShell = { ...testShell(made.dir, process.env), ...shell };
    await runCommandLine(["node", "raymond", "rerun", "r", ...words], one);
    return one;
  };
  return { ...made, rerun };
}

const AT_TERMINAL = { ask: () => Promise.resolve(null) };

describe("raymond rerun", () => {
  it("prints the result of the new run; status, cost and report name its origin", async () => {
    const { dir, rerun } = await afterRun();

    const shell = await rerun("NEXT", "--workflow-id", "again");

    expect([shell.code(), shell.stdout()]).toEqual([0, "end\n"]);
    expect(shell.stderr()).toContain(
      "rerun of r from step 2, with 1 agent; r had spent $0.30 before it",
    );
    const said = async (...words: readonly string[]) => {
      const one = testShell(dir, process.env);
      await runCommandLine(["node", "raymond", ...words], one);
      return one.stdout();
    };
    expect(await said("status", "again")).toContain("r, before step 2");
    const sentence = "It started from r before step 2: the $0.30 spent there are not counted here.";
    for (const command of [["cost"], ["report"], ["report", "--html"]]) {
      const [name = "", ...options] = command;
      expect(await said(name, "again", ...options)).toContain(sentence);
    }
    const origin = { run: "r", step: 2 };
    const [listed = ""] = (await said("list", "--json")).split("\n");
    expect(JSON.parse(listed)).toMatchObject({ workflow_id: "again", origin });
    const whole = { ...origin, after: 1, cost_usd: 0.3 };
    for (const command of ["status", "cost", "report"]) {
      expect(JSON.parse(await said(command, "again", "--json"))).toMatchObject({ origin: whole });
    }
    await expect(said("show", "again", "1")).rejects.toMatchObject({
      code: "run/unknown-step",
      hint: "Try the original run: raymond show r 1",
    });
  });

  it("--dry-run shows the cost that is not repeated, and starts nothing", async () => {
    const { dir, rerun } = await afterRun();

    const shell = await rerun("2", "--dry-run");

    expect(shell.stdout()).toBe(
      "Before step 2 (NEXT.md of main) r had spent $0.30 on 1 attempt, which a rerun from this step does not repeat.\nThe run is simulated: its costs are made up.\n",
    );
    expect(JSON.parse((await rerun("2", "--dry-run", "--json")).stdout())).toEqual({
      ...{ workflow_id: "r", step: 2, agent: "main", state: "NEXT.md", agents: ["main"] },
      ...{ attempts: 1, cost_usd: 0.3, estimated_usd: 0, simulated: true },
    });
    expect(await readdir(path.join(dir, ".raymond/runs"))).toEqual(["r"]);
  });

  it("--edit opens the state file in an editor, and uses the new text", async () => {
    const editor = "f() { echo 'Continue, better.' > \"$1\"; }; f";
    const { dir, rerun } = await afterRun({
      ...AT_TERMINAL,
      env: { ...process.env, VISUAL: editor },
    });

    const shell = await rerun("NEXT", "--edit", "--workflow-id", "again");

    expect(shell.code()).toBe(0);
    const prompt = path.join(dir, ".raymond/debug/again/main_NEXT_2.prompt.md");
    expect(await readFile(prompt, "utf8")).toBe("Continue, better.\n");
  });

  it.each([
    ["there is no terminal", { env: { VISUAL: "true" } }, "run/no-terminal"],
    ["no editor is named", { ...AT_TERMINAL, env: { VISUAL: " " } }, "run/no-editor"],
    ["the editor ends badly", { ...AT_TERMINAL, env: { EDITOR: "false" } }, "run/editor-failed"],
  ])("--edit starts nothing where %s", async (_, shell, code) => {
    const { dir, rerun } = await afterRun(shell);

    await expect(rerun("NEXT", "--edit")).rejects.toMatchObject({ code });

    expect(await readdir(path.join(dir, ".raymond/runs"))).toEqual(["r"]);
  });

  it.each([
    ["2 --input x", "cli/flag-conflict"],
    ["2 --add-budget 3", "cli/flag-conflict"],
    ["NXT", "run/never-entered"],
  ])("refuses %s", async (words, code) => {
    const { rerun } = await afterRun();

    await expect(rerun(...words.split(" "))).rejects.toMatchObject({ code });
  });

  it.each(["", "2 --edit --dry-run"])("rejects the options: %s", async (words) => {
    const { rerun } = await afterRun();

    const error = await rerun(...words.split(" ").filter((word) => word !== "")).catch(
      (reason: unknown) => reason,
    );

    expect(exitCodeOf(error)).toBe(2);
  });
});
