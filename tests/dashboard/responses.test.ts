import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { OverviewJson, RunsJson } from "../../src/dashboard/api.ts";
import { graph } from "../../src/inspect/graph.ts";
import { diffRuns } from "../../src/inspect/history/diff-runs.ts";
import { show, showStep } from "../../src/inspect/history/show.ts";
import { costJson, summaryJson } from "../../src/inspect/json/report-json.ts";
import { runsDiffJson } from "../../src/inspect/json/runs-diff-json.ts";
import { detailJson, timelineJson } from "../../src/inspect/json/step-json.ts";
import { list } from "../../src/inspect/list.ts";
import { readRun } from "../../src/inspect/run-view.ts";
import { start } from "../../src/run/start.ts";
import { openDashboard, projectWith } from "../support/dashboard.ts";
import { saveLongRun } from "../support/long-run.ts";

const EVIL = "<script>alert(1)</script>\u001b[31m \u202e</style>";

/** A completed run of prompts and scripts, and a run with a question. */
async function ran() {
  const caller = await projectWith({
    "w/START.md": "Say something. <goto>WORK</goto>",
    "w/WORK.sh": "echo working; echo '<result>all done</result>'",
    "w/w.sim.yaml": `states:\n  START:\n    - reply: ${JSON.stringify(`${EVIL} <goto>WORK</goto>`)}\n`,
    "ask/START.sh": 'echo "<ask next=\\"END.sh\\">Which?</ask>"',
    "ask/END.sh": 'echo "<result>ok</result>"',
  });
  await start({ workflow: "w", id: "one", simulate: true }, caller);
  await start({ workflow: "ask", id: "asks" }, caller);
  const of = await openDashboard(caller);
  return { caller, of, run: `${of.folder}/runs/one` };
}

describe("the dashboard", () => {
  it("sends what commands print with --json, as they print it", async () => {
    const { caller, of, run } = await ran();
    const view = await readRun({ run: "one" }, caller);
    const wanted = { run: "one", limit: 1 };

    const { folders } = (await of.json("/api/runs")) as RunsJson;
    expect(folders[0]?.runs).toEqual(
      JSON.parse(JSON.stringify((await list({}, caller)).runs.map(summaryJson))),
    );
    expect(await of.json(`${run}/steps?limit=1`)).toEqual(
      json(timelineJson(await show(wanted, caller))),
    );
    expect(await of.json(`${run}/steps?limit=1&before=2`)).toEqual(
      json(timelineJson(await show({ ...wanted, before: 2 }, caller))),
    );
    expect(await of.json(`${run}/steps/1`)).toEqual(
      json(detailJson(await showStep({ run: "one", step: 1 }, caller))),
    );
    const drawn = await graph({ run: "one" }, caller);
    expect(await of.json(`${run}/graph`)).toEqual(json({ title: drawn.title, ...drawn.graph }));
    expect(await of.json(`${run}/cost`)).toMatchObject(json(costJson(view)));
    const both = { run: "asks", other: "asks" };
    expect(await of.json(`${of.folder}/runs/asks/diff?with=asks`)).toEqual(
      json(runsDiffJson(await diffRuns(both, caller))),
    );
    expect(of.bugs).toEqual([]);
  });

  it("sends the status of a run without its token", async () => {
    const { caller, of, run } = await ran();
    // Reads the log, so that the overview has its facts.
    await of.json(`${run}/graph`);

    const overview = (await of.json(run)) as OverviewJson;

    expect(overview).toMatchObject({
      workflow_id: "one",
      status: "completed",
      log: "read",
      next: null,
    });
    expect(overview).toMatchObject({
      results: { main: "all done" },
      damage: null,
      simulated: true,
    });
    expect(overview.agents).toMatchObject([{ agent: "main", does: "ended", state: "WORK.sh" }]);
    const { run: state } = await readRun({ run: "one" }, caller);
    expect(JSON.stringify(overview)).not.toContain(state.token);
  });

  it("sends open questions with their agents", async () => {
    const { of } = await ran();

    const overview = (await of.json(`${of.folder}/runs/asks`)) as OverviewJson;

    expect(overview.questions).toMatchObject([
      { agent: "main", state: "START.sh", question: "Which?", options: null, answered: false },
    ]);
    expect(overview.agents).toMatchObject([{ does: "waiting", waits_for: { for: "answer" } }]);
  });

  it("sends output of models as escaped JSON text", async () => {
    const { of, run } = await ran();

    for (const at of [`${run}/steps/1`, `${run}/events?after=0`]) {
      const answer = await of.get(at);
      expect(answer.headers.get("content-type")).toMatch(/^(application\/json|text\/event-stream)/);
      const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
      const { value } = await reader.read();
      await reader.cancel();
      const text = new TextDecoder().decode(value);
      expect(text).not.toContain("\u001b");
      expect(text).toContain(String.raw`\u001b[31m`);
    }
  });

  it.each([
    ["steps?limit=x", 400, "serve/bad-request"],
    ["steps?before=-1", 400, "serve/bad-request"],
    ["steps?agent=none", 404, "run/unknown-agent"],
    ["diff?with=nothing", 404, "serve/no-such-run"],
    ["diff?with=asks", 409, "run/other-workflow"],
    ["steps/99", 404, "run/unknown-step"],
    ["steps/x", 404, "serve/no-such-address"],
    ["events?after=1e9", 400, "serve/bad-request"],
    ["nothing", 404, "serve/no-such-address"],
  ])("rejects …/%s: %i %s", async (at, status, code) => {
    const { of, run } = await ran();

    const answer = await of.get(`${run}/${at}`);

    expect([answer.status, await answer.json()]).toMatchObject([status, { code }]);
    expect(of.bugs).toEqual([]);
  });

  it("shows a run with a damaged state file from its journal, with a note", async () => {
    const { caller, of, run } = await ran();
    await writeFile(path.join(caller.cwd, ".raymond", "workflows", "one.json"), "{ torn");

    const overview = (await of.json(run)) as OverviewJson;

    expect(overview).toMatchObject({
      workflow_id: "one",
      damage: expect.stringContaining("one.json") as unknown,
    });
    expect(await of.json(`${run}/steps`)).toMatchObject({ steps: [{ step: 1 }, { step: 2 }] });
  });

  it("reports the error of a run without a usable state file or journal", async () => {
    const { caller, of, run } = await ran();
    const root = path.join(caller.cwd, ".raymond");
    await writeFile(path.join(root, "workflows", "one.json"), "{ torn");
    await rm(path.join(root, "runs", "one", "journal.jsonl"));

    const answer = await of.get(run);

    expect([answer.status, await answer.json()]).toMatchObject([
      409,
      { code: "store/damaged-state" },
    ]);
    expect(await of.json("/api/runs")).toMatchObject({ folders: [{ problem: null }] });
  });

  it("reports a missing state folder, and shows its runs once it exists again", async () => {
    const { caller, of } = await ran();
    const root = path.join(caller.cwd, ".raymond");
    await rename(root, `${root}.away`);

    const gone = await listsOf(of);
    expect(gone.folders).toMatchObject([{ runs: [], problem: { code: "serve/folder-gone" } }]);

    await rename(`${root}.away`, root);
    await expect
      .poll(async () => (await listsOf(of)).folders[0]?.runs.length, { timeout: 60_000 })
      .toBe(2);
  });

  it("shows a project without runs, and several folders", async () => {
    const one = await projectWith({});
    const other = (await ran()).caller;
    const of = await openDashboard(one, {
      named: [one.cwd, path.join(other.cwd, ".raymond")].slice(1),
    });
    const empty = await openDashboard(one);

    expect(await empty.json("/api/runs")).toMatchObject({ folders: [{ runs: [], problem: null }] });
    expect(((await of.json("/api/runs")) as RunsJson).folders[0]?.runs).toHaveLength(2);
    await expect(openDashboard(one, { named: ["."] })).rejects.toMatchObject({
      code: "serve/no-runs-there",
    });
  });

  it("sends the overview of a long run before its log is read, and any page of its steps", async () => {
    const caller = await projectWith({ "w/START.md": "Continue. <goto>START</goto>" });
    const root = path.join(caller.cwd, ".raymond");
    const size = { steps: 1_000, agents: 50, folder: path.join(caller.cwd, "w") };
    await saveLongRun(root, { id: "long", ...size });
    const of = await openDashboard(caller);
    const run = `${of.folder}/runs/long`;

    expect(await of.json(run)).toMatchObject({ steps: 1_000, log: "reading", reminded: null });
    expect(await of.json(`${run}/graph`)).toMatchObject({ edges: [{ times: 1_000 }] });
    expect(await of.json(run)).toMatchObject({ log: "read", denied: [] });
    const page = (await of.json(`${run}/steps?limit=3&before=500`)) as {
      readonly steps: readonly unknown[];
    };
    expect(page.steps).toMatchObject([{ step: 497 }, { step: 498 }, { step: 499 }]);
    const cost = (await of.json(`${run}/cost`)) as {
      readonly over_time: readonly { total_usd: number }[];
    };
    expect(cost.over_time.length).toBeLessThanOrEqual(601);
    expect(cost.over_time.at(-1)?.total_usd).toBe(1);
  });

  it("lists the workflows of a project", async () => {
    const { caller, of } = await ran();
    await mkdir(path.join(caller.cwd, "workflows", "deep"), { recursive: true });
    await writeFile(path.join(caller.cwd, "workflows", "deep", "START.md"), "<result>x</result>");
    await mkdir(path.join(caller.cwd, "src"));

    const { workflows } = (await of.json(`${of.folder}/workflows`)) as {
      workflows: readonly { path: string }[];
    };

    expect(workflows.map((each) => each.path)).toEqual([
      "ask",
      "w",
      path.join("workflows", "deep"),
    ]);
    expect(await readFile(path.join(caller.cwd, "w", "WORK.sh"), "utf8")).toContain("working");
  });
});

async function listsOf(of: { json(at: string): Promise<unknown> }): Promise<RunsJson> {
  return (await of.json("/api/runs")) as RunsJson;
}

function json(value: unknown): object {
  return JSON.parse(JSON.stringify(value)) as object;
}
