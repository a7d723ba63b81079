import { describe, expect, it } from "vitest";
import type { FolderJson } from "../../../../src/dashboard/api.ts";
import { matchesFilter, runRows } from "../../../../src/dashboard/page/rows/run-rows.ts";
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
  return runRows({ version: "1", control: false, folders }, NOW);
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
  it("has the last started first, from all folders, and then says of which project each is", () => {
    const old = summary({ workflow_id: "old", started_at: "2026-11-20T09:00:00Z" });
    const young = summary({ workflow_id: "young" });

    expect(rows(folder([old]), folder([young], "b"))).toMatchObject([
      { run: "young", project: "b", when: "10 min ago" },
      { run: "old", project: "a" },
    ]);
    expect(rows(folder([old]))[0]?.project).toBeNull();
  });

  it("says what a run waits for: a person before a time", () => {
    const questions = [{ ...asked, question: "Ship it?\nReally?" }, asked].map((each) => ({
      question: null,
      ...each,
    }));

    const [asks, waits, idle] = rows(
      folder([
        summary({ status: "waiting", questions, waits_until: "2026-11-22T11:00:00Z" }),
        summary({ status: "waiting", waits_until: "2026-11-22T11:00:00Z" }),
        summary({}),
      ]),
    );

    expect(asks?.waits).toBe("main asks: Ship it? (and 1 more question)");
    expect(waits?.waits).toMatch(/^until today \d\d:\d\d$/);
    expect(idle?.waits).toBe("");
  });

  it("of a fleet tell when one begins that was submitted for later, and else whom it waits for", () => {
    const place = {
      ...{ pool: "gpu", account: null, home: null, pinned: null, workspace: "local" },
      ...{ waits_for: null, set_aside: null },
    };
    const queued = { ...summary({ status: "queued" }), place };
    const [later, soon] = rows(
      folder([{ ...queued, waits_until: "2026-11-22T11:00:00Z" }, queued]),
    );

    expect(later?.waits).toMatch(/^until today \d\d:\d\d$/);
    expect(soon?.waits).toBe("for a worker of the pool gpu");
  });

  it("shows what of a workflow's name would turn the line around", () => {
    expect(rows(folder([summary({ workflow: "/p/\u202egnp.exe" })]))[0]?.workflow).toBe(
      "\\u202egnp.exe",
    );
  });

  it("can be filtered by words and by how runs stand", () => {
    const [run] = rows(folder([summary({ questions: [{ ...asked, question: "Ship it?" }] })]));
    if (run === undefined) throw new Error("no row");

    expect(matchesFilter(run, { words: "", group: "all" })).toBe(true);
    expect(matchesFilter(run, { words: "REVIEW running", group: "live" })).toBe(true);
    expect(matchesFilter(run, { words: "ship", group: "asks" })).toBe(true);
    expect(matchesFilter(run, { words: "deploy", group: "all" })).toBe(false);
    expect(matchesFilter(run, { words: "", group: "done" })).toBe(false);
  });
});
