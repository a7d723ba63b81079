import { readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { reportCommand } from "../../../src/cli/commands/inspect/report.ts";
import { run } from "../../support/runs.ts";
import { ended, logOf, saveRun, started } from "../../support/saved-runs.ts";
import { testShell } from "../../support/test-shell.ts";

const RUN = run({ status: "completed", agents: [], results: { main: "All is well.\n```\n# no" } });

describe("raymond report", () => {
  it("shows steps, cost and results in blocks that their content cannot close", async () => {
    const shell = testShell(await saveRun(RUN, logOf([started(1), ended(1)])));
    await reportCommand({ run: "latest" }, shell);

    const page = shell.stdout();
    const headings = [...page.matchAll(/^#+ (.*)$/gm)].map(([, title = ""]) => title);
    expect(headings.slice(1)).toEqual(["Status", "Steps", "Cost", "Result of main", "no"]);
    expect(page).toContain("````text\nAll is well.\n```\n# no\n````\n");
    expect(page).toMatch(/^ {3}1 {2}.* START\.md +2s +\$0\.0100/m);
  });

  it("wraps long lines", async () => {
    const long = `${"word ".repeat(500)}${"x".repeat(3_000)}${"😀".repeat(300)}`;
    const ended = run({ status: "completed", agents: [], results: { main: long } });
    const shell = testShell(await saveRun(ended, ""));
    await reportCommand({ run: "latest" }, shell);

    const page = shell.stdout();
    expect(Math.max(...page.split("\n").map((line) => line.length))).toBeLessThanOrEqual(160);
    expect(page.replaceAll(/\n {4}/g, "")).toContain("x".repeat(3_000));
    expect(page).not.toContain("\ufffd");
  });

  it("shows the rest if the event log and the workflow are missing", async () => {
    const shell = testShell(await saveRun(RUN, ""));
    await reportCommand({ run: "latest" }, shell);

    expect(shell.stdout()).toContain("It is not waiting for anything.");
  });

  it("appends to the job summary, and reports a missing summary file", async () => {
    const dir = await saveRun(RUN, "");
    const file = path.join(dir, "summary.md");
    const job = testShell(dir, { GITHUB_STEP_SUMMARY: file });
    const add = () => reportCommand({ run: "latest", githubSummary: true }, job);
    await add();
    await add();

    expect((await readFile(file, "utf8")).match(/^# wf-/gm)).toHaveLength(2);
    expect(job.stdout()).toBe("");
    await expect(
      reportCommand({ run: "latest", githubSummary: true }, testShell(dir)),
    ).rejects.toMatchObject({ code: "cli/no-summary-file" });
  });
});
