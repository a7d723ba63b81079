import path from "node:path";
import { describe, expect, it } from "vitest";
import { diffRunsCommand } from "../../../src/cli/commands/inspect/diff-runs.ts";
import { diffRuns } from "../../../src/inspect/history/diff-runs.ts";
import type { Event } from "../../../src/machine/model/event.ts";
import type { RunState } from "../../../src/machine/model/run-state.ts";
import { thisProcess } from "../../../src/wire/caller.ts";
import { run, totals as totalsWith } from "../../support/runs.ts";
import { ended, logOf, saveRun, started } from "../../support/saved-runs.ts";
import { testShell } from "../../support/test-shell.ts";

const [A, B] = ["wf-2026-11-21-aaaaaa", "wf-2026-11-21-bbbbbb"];

function went(agent: string, to: string): Event {
  return {
    ...{ type: "agent.moved", agent, from: "START.md", to, implied: false, dropped: 0 },
    transition: { tag: "goto", target: to },
  };
}

/** A step of this agent that leads there. */
function step(process: number, to: string, agent = "main"): readonly Event[] {
  return [started(process, { agent }), ended(process, { agent }), went(agent, to)];
}

/** Two runs, each in a project of its own, named by their state files. */
async function two(
  left: readonly (readonly Event[])[],
  right: readonly (readonly Event[])[],
  changes: Partial<RunState> = {},
) {
  const place = async (of: RunState, events: readonly (readonly Event[])[]) =>
    path.join(await saveRun(of, logOf(events.flat())), ".raymond", "workflows", `${of.id}.json`);
  return {
    run: await place(run({ id: A, agents: [], status: "completed" }), left),
    other: await place(run({ id: B, agents: [], status: "completed", ...changes }), right),
  };
}

describe("diffRuns", () => {
  it("reports runs with equal moves as the same, whatever they cost", async () => {
    const totals = totalsWith({ costMicroUsd: 5_000_000, attempts: 2 });
    const pair = await two([step(1, "B.md")], [step(1, "B.md")], { totals });
    const diff = await diffRuns(pair, thisProcess());

    expect(diff.divergences).toEqual([]);
    expect(diff.right.spentMicroUsd - diff.left.spentMicroUsd).toBe(5_000_000);
  });

  it("reports the first divergence of each agent, earliest first", async () => {
    const common = [step(1, "B.md"), step(2, "B.md", "w1"), step(3, "C.md", "w1")];
    const pair = await two(
      [...common, step(4, "D.md", "w1"), step(5, "E.md")],
      [...common, step(4, "X.md", "w1"), step(5, "Y.md")],
    );
    const { divergences } = await diffRuns(pair, thisProcess());

    expect(divergences).toMatchObject([
      { agent: "w1", same: 2, left: { step: 4, way: "goto D.md" }, right: { way: "goto X.md" } },
      { agent: "main", same: 1, left: { step: 5, way: "goto E.md" }, right: { way: "goto Y.md" } },
    ]);
  });

  it("ignores retries as moves, and counts them as failures", async () => {
    const crashed = [started(1), ended(1, { ok: false, failure: "crash" })];
    const pair = await two([step(1, "B.md")], [crashed, step(2, "B.md")]);
    const { divergences, left, right } = await diffRuns(pair, thisProcess());

    expect(divergences).toEqual([]);
    expect([left.failures, right.failures]).toEqual([0, 1]);
  });

  it("reports an agent without further moves, and an agent of only one run", async () => {
    const pair = await two(
      [step(1, "B.md")],
      [step(1, "B.md"), step(2, "C.md"), step(3, "D.md", "w1")],
    );
    const { divergences } = await diffRuns(pair, thisProcess());

    expect(divergences).toMatchObject([
      { agent: "main", same: 1, left: null, right: { step: 2 } },
      { agent: "w1", same: 0, left: null, right: { step: 3 } },
    ]);
  });

  it("refuses runs of different workflows, and accepts a copy in another folder", async () => {
    const of = (name: string) => ({
      workflow: { kind: "folder", path: name, entry: "START.md" } as const,
    });
    const copy = await two([step(1, "B.md")], [step(1, "B.md")], of("/elsewhere/coding"));
    const other = await two([step(1, "B.md")], [step(1, "B.md")], of("/repo/workflows/review"));

    expect((await diffRuns(copy, thisProcess())).divergences).toEqual([]);
    await expect(diffRuns(other, thisProcess())).rejects.toMatchObject({
      code: "run/other-workflow",
      message: expect.stringMatching(/workflows\/coding.*workflows\/review/) as string,
    });
  });
});

describe("diffRuns of a rerun and its origin", () => {
  const LEFT = [
    step(1, "B.md"),
    [started(2)],
    step(3, "W.md", "w1"),
    [ended(2), went("main", "D.md")],
    [started(4, { agent: "w1" }), ended(4, { agent: "w1" }), went("w1", "X.md")],
  ];
  const origin = { run: A, step: 4, after: 4, costMicroUsd: 0 };

  it("includes the steps before its start, in either order", async () => {
    const { run, other } = await two(LEFT, [step(5, "Y.md", "w1")], { origin });

    expect((await diffRuns({ run, other }, thisProcess())).divergences).toMatchObject([
      { agent: "w1", same: 1, left: { step: 4, way: "goto X.md" }, right: { step: 5 } },
    ]);
    expect((await diffRuns({ run: other, other: run }, thisProcess())).divergences).toMatchObject([
      { agent: "w1", same: 1, left: { step: 5 }, right: { step: 4, way: "goto X.md" } },
    ]);
  });

  it("excludes consequences that came after its start", async () => {
    const again = [step(4, "D.md"), step(5, "Z.md", "w1"), step(6, "X.md", "w1")];
    const pair = await two(LEFT, again, { origin: { ...origin, step: 3, after: 3 } });

    expect((await diffRuns(pair, thisProcess())).divergences).toMatchObject([
      { agent: "w1", same: 0, left: { step: 3, way: "goto W.md" }, right: { way: "goto Z.md" } },
    ]);
  });

  it("notes that its figures start at that step", async () => {
    const pair = await two(LEFT, [step(5, "Y.md", "w1")], { origin });
    const shell = testShell(path.dirname(pair.run));
    await diffRunsCommand(pair, shell);

    expect(shell.stdout()).toContain(
      `w1 first, after 1 step that is the same.\n${B} was started from step 4 of ${A}. Its figures start there.\n`,
    );
  });
});

describe("raymond diff-runs", () => {
  it("exits with 1 if the runs diverge, and prints commands that show the steps", async () => {
    const pair = await two([step(1, "B.md")], [step(1, "C.md")]);
    const shell = testShell(path.dirname(pair.run));

    expect(await diffRunsCommand(pair, shell)).toBe(1);
    expect(shell.stdout()).toContain("went different ways: main first, at its first step.");
    expect(shell.stdout()).toMatch(
      /^ {2}- START\.md {2}goto B\.md\n {2}\+ START\.md {2}goto C\.md$/m,
    );
    expect(shell.stdout()).toMatch(new RegExp(`show ${A} 1\n.*show ${B} 1`));
  });

  it("refuses to compare a run with itself", async () => {
    const { run: one } = await two([step(1, "B.md")], []);
    const shell = testShell(path.dirname(one));

    expect(await diffRunsCommand({ run: one, other: one }, shell)).toBe(0);
    expect(shell.stdout()).toContain(`${A} is a single run`);
  });

  it("prints the same as JSON", async () => {
    const pair = await two([step(1, "B.md")], [step(1, "C.md")]);
    const shell = testShell(path.dirname(pair.run));
    await diffRunsCommand({ ...pair, json: true }, shell);

    expect(JSON.parse(shell.stdout())).toMatchObject({
      same: false,
      left: { workflow_id: A },
      divergences: [{ agent: "main", same: 0, left: { step: 1, way: "goto B.md" } }],
    });
  });
});
