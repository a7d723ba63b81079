import { describe, expect, it } from "vitest";
import type { FolderJson } from "../../../../src/dashboard/api.ts";
import { matchesFilter, runRows, waitText } from "../../../../src/dashboard/page/model/runs.ts";
import type { SummaryJson } from "../../../../src/inspect/json/shapes.ts";

const NOW = Date.parse("2026-11-22T10:00:00Z");

function summary(of: Partial<SummaryJson>): SummaryJson {
  return {
    ...{
      workflow_id: "review-1",
      status: "running",
      workflow: "/home/me/flows/review",
      simulated: false,
    },
    ...{ total_cost_usd: 1.5, steps: 3, agents: 2, started_at: "2026-11-22T09:50:00Z" },
    origin: null,
    ...{
      updated_at: "2026-11-22T09:59:00Z",
      waits_until: null,
      questions: [],
      held_by: null,
      problem: null,
    },
    ...of,
  };
}

function folder(runs: readonly SummaryJson[], name = "a"): FolderJson {
  return {
    folder: name,
    path: `/p/${name}/.raymond`,
    project: `/p/${name}`,
    runs,
    more: 0,
    older: null,
    starts_in: "/home/me/one",
    fleet: null,
    problem: null,
  };
}

function rows(...folders: readonly FolderJson[]) {
  return runRows({ version: "1", control: false, folders });
}

const asked = {
  agent: "main",
  state: "ASK.md",
  number: 4,
  options: null,
  until: null,
  answered: false,
};

describe("the list of runs", () => {
  it("has the runs of all folders, last started first, with their project if there are several", () => {
    const old = summary({ workflow_id: "old", started_at: "2026-11-20T09:00:00Z" });
    const young = summary({ workflow_id: "young" });

    expect(rows(folder([old]), folder([young], "b"))).toMatchObject([
      { run: { workflow_id: "young" }, folder: "b", project: "b" },
      { run: { workflow_id: "old" }, folder: "a", project: "a" },
    ]);
    expect(rows(folder([old]))[0]?.project).toBeNull();
  });

  it("shows the question of a run, or the end of its wait", () => {
    const questions = [
      { ...asked, question: "Ship it?\nReally?" },
      { ...asked, question: null },
    ];
    const waiting = { status: "waiting", waits_until: "2026-11-22T11:00:00Z" } as const;

    expect(waitText(summary({ ...waiting, questions }), NOW)).toBe(
      "main asks: Ship it? (and 1 more question)",
    );
    expect(waitText(summary(waiting), NOW)).toMatch(/^until today \d\d:\d\d$/);
    expect(waitText(summary({}), NOW)).toBe("");
  });

  it("shows the start time of a scheduled fleet run, or the worker that a queued one needs", () => {
    const place = {
      ...{ pool: "gpu", account: null, home: null, pinned: null, workspace: "local" },
      ...{ waits_for: null, set_aside: null },
    };
    const queued = { ...summary({ status: "queued" }), place };

    const later = waitText({ ...queued, waits_until: "2026-11-22T11:00:00Z" }, NOW);

    expect(later).toMatch(/^until today \d\d:\d\d$/);
    expect(waitText(queued, NOW)).toBe("for a worker of the pool gpu");
  });

  it("can be filtered by words and status", () => {
    const [run] = rows(folder([summary({ questions: [{ ...asked, question: "Ship it?" }] })]));
    if (run === undefined) throw new Error("no row");

    expect(matchesFilter(run, { words: "", group: "all" }, NOW)).toBe(true);
    expect(matchesFilter(run, { words: "REVIEW running", group: "live" }, NOW)).toBe(true);
    expect(matchesFilter(run, { words: "ship", group: "asks" }, NOW)).toBe(true);
    expect(matchesFilter(run, { words: "deploy", group: "all" }, NOW)).toBe(false);
    expect(matchesFilter(run, { words: "", group: "done" }, NOW)).toBe(false);
  });
});
