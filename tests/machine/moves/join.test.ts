import { describe, expect, it } from "vitest";
import type { Transition } from "../../../src/language/protocol/transition.ts";
import { failure } from "../../../src/machine/model/failure.ts";
import type { RunState } from "../../../src/machine/model/run-state.ts";
import { nextWakeTime, plan } from "../../../src/machine/steps/plan.ts";
import { sessionIdsNeeded } from "../../../src/machine/steps/schedule.ts";
import { waitsOf } from "../../../src/machine/waits/waits.ts";
import { output } from "../../support/outcomes.ts";
import { NOON, RunDriver } from "../../support/run-driver.ts";
import { run, settings } from "../../support/runs.ts";

const HOUR = 3_600_000;
const JOIN: Transition = { tag: "join", target: "MERGE.sh" };
const fork = (target: string, onError?: string): Transition => ({
  tag: "fork",
  target,
  ...(onError === undefined ? {} : { onError }),
  attributes: { of: target },
});

const said = (transitions: readonly Transition[], before: RunState = run()) =>
  new RunDriver(before).start().end(output("x"), { kind: "move", transitions, implied: false });
const ends = (driven: RunDriver, worker: string, payload: string) =>
  driven.step({ tag: "result", payload }, {}, worker);
const fails = (driven: RunDriver, worker: string) =>
  driven
    .start(worker)
    .end(output("x"), { kind: "fail", failure: failure("crash", "Gone.") }, worker);
const mainOf = ({ run: { agents } }: RunDriver) => agents.find(({ id }) => id === "main");
const handed = (driven: RunDriver): unknown => {
  const pending = mainOf(driven)?.pendingResult ?? null;
  return pending === null ? null : JSON.parse(pending);
};
const entry = (worker: string, rest: object) => ({
  agent: worker,
  state: expect.any(String) as string,
  attributes: expect.any(Object) as object,
  ...rest,
});

describe("a join", () => {
  it("waits until all workers have ended, and hands over their results in the order of the forks", () => {
    const driven = said([fork("A.sh"), JOIN, fork("B.sh")]);
    expect(mainOf(driven)).toMatchObject({ state: "MERGE.sh", activity: { type: "waiting" } });

    ends(driven, "main_b2", "two");
    expect(plan(driven.run, NOON).starts).toEqual(["main_a1"]);
    expect(driven.run.agents.map(waitsOf(driven.run, NOON))[0]).toEqual({
      ...{ kind: "join", until: null, living: 1, min: null },
    });
    ends(driven, "main_a1", "one");

    expect(plan(driven.run, NOON).starts).toEqual(["main"]);
    expect(mainOf(driven)?.pendingResult).toBe(
      '[{"agent":"main_a1","state":"A.sh","attributes":{"of":"A.sh"},"ok":true,"result":"one"},' +
        '{"agent":"main_b2","state":"B.sh","attributes":{"of":"B.sh"},"ok":true,"result":"two"}]',
    );
    expect(mainOf(driven)?.forked).toEqual([]);
    expect(driven.events.at(-1)).toEqual({
      ...{ type: "agent.joined", agent: "main", state: "MERGE.sh" },
      ...{ ended: 2, living: 0, late: false },
    });
  });

  it("continues at once without workers", () => {
    const driven = said([JOIN]);

    expect(handed(driven)).toEqual([]);
    expect(plan(driven.run, NOON).starts).toEqual(["main"]);
  });

  it("includes workers that had ended before, but not workers of workers", () => {
    const driven = said([fork("A.sh"), { tag: "goto", target: "N.sh" }]);
    driven.start("main_a1");
    driven.end(
      output("x"),
      {
        kind: "move",
        transitions: [fork("C.sh"), { tag: "result", payload: "one" }],
        implied: false,
      },
      "main_a1",
    );
    driven.step(JOIN);

    expect(handed(driven)).toEqual([entry("main_a1", { ok: true, result: "one" })]);
    expect(driven.run.agents.map(({ id }) => id)).toEqual(["main", "main_a1_c1"]);
  });

  it("with min continues after that many successes; the other workers belong to the next join", () => {
    const driven = said([fork("A.sh"), fork("B.sh"), { ...JOIN, min: "1" }]);
    ends(driven, "main_b2", "two");

    expect(handed(driven)).toEqual([
      entry("main_a1", { ok: null }),
      entry("main_b2", { ok: true, result: "two" }),
    ]);
    driven.step(JOIN);
    ends(driven, "main_a1", "one");
    expect(handed(driven)).toEqual([entry("main_a1", { ok: true, result: "one" })]);
  });

  it("with min continues when that many can no longer succeed", () => {
    const driven = said([fork("A.sh", "report"), fork("B.sh"), { ...JOIN, min: "2" }]);
    fails(driven, "main_a1");

    expect(handed(driven)).toEqual([
      entry("main_a1", { ok: false, error: { class: "crash", message: "Gone.", state: "A.sh" } }),
      entry("main_b2", { ok: null }),
    ]);
  });

  it("with a timeout continues at timeout_next, with the results so far", () => {
    const late: Transition = { ...JOIN, tag: "join", timeout: "1h", timeoutNext: "LATE.sh" };
    const driven = said([fork("A.sh"), fork("B.sh"), late]);
    ends(driven, "main_a1", "one");
    driven.start("main_b2");
    expect(nextWakeTime(driven.run, NOON)).toBe(NOON + HOUR);

    driven.apply({ type: "looked", at: NOON + HOUR, sessions: [] });

    expect(mainOf(driven)).toMatchObject({ state: "LATE.sh", activity: { type: "running" } });
    expect(handed(driven)).toEqual([
      entry("main_a1", { ok: true, result: "one" }),
      entry("main_b2", { ok: null }),
    ]);
    expect(driven.types()).toContain("agent.joined");
  });

  it("asks in time for the session of a prompt to which it goes when it is late", () => {
    const late: Transition = { ...JOIN, tag: "join", timeout: "1h", timeoutNext: "LATE.md" };
    const { run: waiting } = said([fork("A.sh"), late]);

    expect(sessionIdsNeeded(waiting)).toBe(1);
  });

  it("still waits after a resume, also for a failed worker that restarts", () => {
    const driven = said([fork("A.sh"), JOIN], run({ settings: settings({ keepGoing: true }) }));
    fails(driven, "main_a1").apply({ type: "looked", at: NOON, sessions: [] });
    expect(driven.run).toMatchObject({ status: "failed", stopReason: { agent: "main_a1" } });

    driven.apply({ type: "resumed", given: {}, recalled: {}, reported: 0 });
    expect(plan(driven.run, NOON).starts).toEqual(["main_a1"]);
    ends(driven, "main_a1", "one");

    expect(handed(driven)).toEqual([entry("main_a1", { ok: true, result: "one" })]);
  });
});

describe("a worker with a worktree", () => {
  const place = {
    ...{ repository: "/repo/.git", parent: "/trees", base: "b0", inside: "sub" },
    ...{ origin: "/repo", copy: [], setup: null },
  };
  const forkIn = (worktree: string, onError?: string): Transition => {
    return {
      ...fork("A.sh", onError),
      tag: "fork",
      target: "A.sh",
      worktree,
      place,
      attributes: {},
    };
  };
  const closes = (driven: RunDriver, branch: string | null, kept: string | null = null) =>
    driven.apply({ type: "worktree-ended", agent: "main_a1", branch, kept });

  it("works in a folder and on a branch that its run records before git creates them", () => {
    const { run: after } = said([forkIn("true"), forkIn("fix"), JOIN], run({ id: "one" }));

    expect(after.agents.slice(1)).toMatchObject([
      {
        cwd: "/trees/one-main_a1/sub",
        worktree: { folder: "/trees/one-main_a1", branch: "raymond/one-main_a1", base: "b0" },
      },
      { worktree: { folder: "/trees/one-main_a2", branch: "raymond/fix" } },
    ]);
  });

  it("has ended for the join when its files are committed, and its branch is handed over", () => {
    const driven = said([forkIn("fix"), JOIN]);
    ends(driven, "main_a1", "one").apply({ type: "looked", at: NOON, sessions: [] });
    expect(plan(driven.run, NOON).starts).toEqual([]);
    expect(driven.run).toMatchObject({ status: "running", closing: [{ branch: "raymond/fix" }] });

    closes(driven, "raymond/fix");

    expect(handed(driven)).toEqual([
      entry("main_a1", { ok: true, result: "one", branch: "raymond/fix" }),
    ]);
    expect(driven.run.closing).toBeUndefined();
  });

  it("is reported with its branch after a failure", () => {
    const driven = closes(fails(said([forkIn("fix", "report"), JOIN]), "main_a1"), null, "locked");

    expect(handed(driven)).toMatchObject([{ ok: false, branch: null }]);
    expect(driven.run.kept).toMatchObject([{ agent: "main_a1", reason: "locked" }]);
  });

  it("keeps the run from its end until its files are committed, also after a crash", () => {
    const driven = said([forkIn("fix"), { tag: "result", payload: "end" }]);
    ends(driven, "main_a1", "one").apply({ type: "looked", at: NOON, sessions: [] });
    expect(driven.run.status).toBe("running");

    driven.apply({ type: "resumed", given: {}, recalled: {}, reported: 0 });
    closes(driven, "raymond/fix").apply({ type: "looked", at: NOON, sessions: [] });

    expect(driven.run.status).toBe("completed");
  });

  it("fails its parent if another agent has its branch", () => {
    const driven = said([forkIn("fix"), forkIn("fix"), JOIN]);

    expect(mainOf(driven)?.activity).toMatchObject({
      error: { message: "Two agents cannot work on the branch raymond/fix." },
    });
  });
});

describe("a worker whose failure is reported", () => {
  it("ends with its failure, and the run continues", () => {
    const driven = said([fork("A.sh", "report"), { tag: "goto", target: "N.sh" }]);
    fails(driven, "main_a1");

    expect(driven.run.stopReason).toBeNull();
    expect(driven.run.agents.map(({ id }) => id)).toEqual(["main"]);
    expect(driven.types().slice(-2)).toEqual(["agent.failed", "agent.ended"]);
    expect(driven.run.results).toEqual({});
  });

  it("is not restarted by a resume", () => {
    const driven = said([fork("A.sh", "report"), { tag: "goto", target: "N.sh" }]);
    fails(driven, "main_a1").apply({ type: "resumed", given: {}, recalled: {}, reported: 0 });

    expect(plan(driven.run, NOON).starts).toEqual(["main"]);
  });
});
