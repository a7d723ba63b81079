import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FRESH } from "../../../src/machine/model/agent.ts";
import {
  applyTransition,
  spawnWorker,
  workerId,
} from "../../../src/machine/moves/apply-transition.ts";
import { agent, anyAgent, frame } from "../../support/agents.ts";

const S1 = { mode: "resume", id: "s1" } as const;
const caller = frame({ session: S1, returnTo: "SUM.md" });

describe("applyTransition", () => {
  it("<goto> keeps the conversation and the callers", () => {
    const called = agent({ session: S1, stack: [caller] });

    const next = applyTransition(called, { tag: "goto", target: "NEXT.md" });

    expect(next).toMatchObject({ state: "NEXT.md", session: S1, entered: S1, stack: [caller] });
  });

  it("<reset> with frames=keep starts a fresh conversation and keeps the callers", () => {
    const called = agent({ session: S1, stack: [caller], cwd: "/a" });
    const reset = { tag: "reset", target: "N.md" } as const;

    expect(applyTransition(called, { ...reset, frames: "keep" })).toMatchObject({
      session: FRESH,
      stack: [caller],
      cwd: "/a",
    });
    expect(applyTransition(called, { ...reset, frames: "drop" })).toMatchObject({ stack: [] });
  });

  it.each([
    { tag: "goto", target: "N.md", input: "given" },
    { tag: "reset", target: "N.md", input: "given" },
    { tag: "call", target: "N.md", returnTo: "R.md", input: "given" },
    { tag: "function", target: "N.md", returnTo: "R.md", input: "given" },
  ] as const)("makes the input of <$tag> pending in the state that it enters", (transition) => {
    const before = agent({ pendingResult: "old" });

    expect(applyTransition(before, transition)).toMatchObject({ pendingResult: "given" });
    expect(applyTransition(before, { ...transition, input: "" })).toMatchObject({
      pendingResult: "",
    });
  });

  it("makes the input of <fork> pending for the worker", () => {
    const fork = { tag: "fork", target: "W.md", next: "N.md", input: "given" } as const;

    expect(spawnWorker({ ...fork, attributes: {} }, agent(), "main_w1", "wf-1")).toMatchObject({
      pendingResult: "given",
    });
  });

  it.each([
    ["call", { mode: "branch", source: "s1", id: null }],
    ["function", FRESH],
  ] as const)("<%s> pushes the caller and starts the child in %o", (tag, session) => {
    const transition = { tag, target: "CHILD.md", returnTo: "SUM.md" } as const;

    const next = applyTransition(agent({ session: S1 }), transition);

    expect(next).toMatchObject({ state: "CHILD.md", session, stack: [caller] });
  });

  it("<call> of an agent that has not spoken yet starts the child fresh, and returns fresh", () => {
    const child = applyTransition(agent({ session: FRESH }), {
      tag: "call",
      target: "C.md",
      returnTo: "R.md",
    });
    expect(child).toMatchObject({ session: FRESH, stack: [{ session: FRESH, returnTo: "R.md" }] });
  });

  it("<call> under a branch that was not used yet branches from the same source", () => {
    const pending = { mode: "branch", source: "s1", id: null } as const;

    const child = applyTransition(agent({ session: pending }), {
      tag: "call",
      target: "C.md",
      returnTo: "R.md",
    });

    expect(child).toMatchObject({ session: pending, stack: [{ session: pending }] });
  });

  it("<reset> drops the conversation and all callers, and changes the folder by cd", () => {
    const called = agent({ session: S1, stack: [caller], cwd: "/a" });

    expect(applyTransition(called, { tag: "reset", target: "N.md", cd: "/repo" })).toMatchObject({
      session: FRESH,
      stack: [],
      cwd: "/repo",
    });
    expect(applyTransition(called, { tag: "reset", target: "N.md" })).toMatchObject({ cwd: "/a" });
  });

  it("a worker starts fresh, without callers, with only the attributes of the tag", () => {
    const worker = spawnWorker(
      { tag: "fork", target: "W.md", next: "N.md", attributes: { item: "1" } },
      agent(),
      "main_w1",
      "wf-1",
    );
    expect(worker).toMatchObject({
      id: "main_w1",
      state: "W.md",
      session: FRESH,
      stack: [],
      cwd: null,
      attributes: { item: "1" },
      pendingResult: null,
    });
  });

  it("<result> ends an agent without callers", () => {
    expect(applyTransition(agent({ stack: [] }), { tag: "result", payload: "done" })).toBeNull();
  });

  it("nothing of a step is left in the next", () => {
    const worn = agent({
      reminders: 2,
      retries: 3,
      starts: 5,
      delivery: "reminder",
      fault: { code: "no-tag", message: "x" },
      pendingResult: "old",
      elapsedMs: 99,
    });
    expect(applyTransition(worn, { tag: "goto", target: "N.md" })).toMatchObject({
      reminders: 0,
      retries: 0,
      starts: 0,
      delivery: "prompt",
      fault: null,
      pendingResult: null,
      elapsedMs: 0,
    });
  });

  it("law: <call> or <function>, then <result>, gives the caller back its conversation and stack", () => {
    fc.assert(
      fc.property(
        anyAgent,
        fc.constantFrom("call", "function"),
        fc.string(),
        (before, tag, payload) => {
          const child = applyTransition(before, { tag, target: "C.md", returnTo: "R.md" } as const);
          const after = child && applyTransition(child, { tag: "result", payload });

          expect(after).toMatchObject({
            state: "R.md",
            session: before.session,
            stack: before.stack,
            pendingResult: payload,
          });
        },
      ),
    );
  });
});

describe("workerId", () => {
  it.each([
    ["main", "WORKER.md", 1, "main_worker1"],
    ["main", "ANALYZE.md", 2, "main_analyz2"],
    ["main_worker1", "ANALYZE.md", 1, "main_worker1_analyz1"],
    ["main", "STEP1.sh", 3, "main_step1x3"],
    ["main", "1_GO.md", 1, "main_1go1"],
    ["main", "Ü.md", 1, "main_x1"],
    ["main", "A-B.C.bat", 4, "main_abc4"],
    ["main", "WORK.ps1", 5, "main_work5"],
  ])("%s forking %s as number %i starts %s", (parent, target, count, id) => {
    expect(workerId(parent, { tag: "fork", target, attributes: {} }, count)).toBe(id);
  });

  it("law: all workers of a run have different ids", () => {
    const anyFork = fc.record({
      parent: fc.nat({ max: 30 }),
      target: fc.stringMatching(/^[A-Za-z0-9_.-]{1,9}$/).map((stem) => `${stem}.md`),
    });
    fc.assert(
      fc.property(fc.array(anyFork, { maxLength: 40 }), (forks) => {
        const ids = ["main"];
        const counters = new Map<string, number>();
        for (const { parent, target } of forks) {
          const of = ids[parent % ids.length] ?? "main";
          const count = (counters.get(of) ?? 0) + 1;
          counters.set(of, count);
          ids.push(workerId(of, { tag: "fork", target, attributes: {} }, count));
        }
        expect(new Set(ids).size).toBe(ids.length);
      }),
    );
  });
});
