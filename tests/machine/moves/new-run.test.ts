import { describe, expect, it } from "vitest";
import { READY } from "../../../src/machine/model/activity.ts";
import { newRun, newRunOptionsOf } from "../../../src/machine/moves/new-run.ts";
import { run, settings } from "../../support/runs.ts";

describe("newRun", () => {
  it("has one agent, main, about to enter the first state, with its input pending and its variables", () => {
    const { id, workflow, scopeDir, launchDir } = run();

    const created = newRun({
      id,
      workflow,
      scopeDir,
      launchDir,
      at: Date.parse("2026-11-21T10:30:00.000Z"),
      settings: settings({ maxSteps: 7 }),
      backend: "claude",
      token: "t0",
      input: "go",
      attributes: { item: "7" },
    });

    expect(created).toMatchObject({
      status: "running",
      startedAt: "2026-11-21T10:30:00.000Z",
      updatedAt: "2026-11-21T10:30:00.000Z",
      settings: { maxSteps: 7 },
      steps: 0,
      visits: {},
      waits: {},
      agents: [
        {
          id: "main",
          activity: READY,
          state: "START.md",
          session: { mode: "fresh", id: null },
          stack: [],
          cwd: null,
          starts: 0,
          pendingResult: "go",
          attributes: { item: "7" },
        },
      ],
    });
    expect(created.agents).toHaveLength(1);
  });
});

describe("newRunOptionsOf", () => {
  it("is the inverse of newRun, with and without an input", () => {
    const { id, workflow, scopeDir, launchDir } = run();
    const of = { id, workflow, scopeDir, launchDir, backend: "claude", token: "t0" };
    const options = { ...of, at: 1_000, settings: settings({ maxSteps: 7 }), attributes: {} };

    for (const input of ["go", null]) {
      expect(newRunOptionsOf(newRun({ ...options, input }))).toEqual({ ...options, input });
    }
  });

  it("gives a run without agents no input and no attributes", () => {
    expect(newRunOptionsOf(run({ agents: [] }))).toMatchObject({ input: null, attributes: {} });
  });
});
