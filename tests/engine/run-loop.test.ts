import { describe, expect, it } from "vitest";
import { runLoop } from "../../src/engine/run-loop.ts";
import { FRESH } from "../../src/machine/model/agent.ts";
import { inFlight } from "../../src/machine/model/roster.ts";
import type { RunState } from "../../src/machine/model/run-state.ts";
import { recover } from "../../src/machine/steps/recover.ts";
import { agent } from "../support/agents.ts";
import { NO_ORPHANS } from "../support/engine/no-orphans.ts";
import { cancelled, loaded, modelReply, type World, world } from "../support/engine/worlds.ts";
import { failure, limitUntil } from "../support/outcomes.ts";
import { run, settings } from "../support/runs.ts";
import { oneWorkflow } from "../support/workflow/workflows.ts";

const fresh = () => run({ agents: [agent({ session: FRESH })] });
const loop = (of: World, from = fresh()) => runLoop(from, of.engine, of.control);

describe("the run loop", () => {
  it("runs a workflow to its end and reports it", async () => {
    const here = world({ "START.md": "<goto>END</goto>", "END.md": "<result>done</result>" });

    const end = await loop(here);

    expect(end).toMatchObject({
      status: "completed",
      steps: 2,
      agents: [],
      results: { main: "done" },
    });
    expect(here.events.map(({ type }) => type)).toEqual([
      "step.started",
      "step.ended",
      "agent.moved",
      "step.started",
      "step.ended",
      "agent.ended",
      "run.ended",
    ]);
    expect(here.steps.map(({ session }) => session)).toEqual([
      { mode: "fresh", id: "session-1" },
      { mode: "resume", id: "session-1" },
    ]);
  });

  it("saves every step in flight before it starts, with one write per step", async () => {
    const here = world({
      "START.sh": (step) => {
        expect(here.saves.at(-1)?.agents[0]?.activity).toMatchObject({ process: step.process });
        return modelReply(step, "<goto>END</goto>");
      },
      "END.sh": "<result/>",
    });

    await loop(here, run({ agents: [agent({ state: "START.sh" })] }));

    expect(here.saves).toHaveLength(3);
    expect(here.saves.at(-1)?.status).toBe("completed");
  });

  it("reports no unsaved fact", async () => {
    const here = world({ "START.md": "<result/>" });
    const reported: string[] = [];
    const engine = {
      ...here.engine,
      observer: { notify: ({ type }: { type: string }) => void reported.push(type) },
      store: { save: () => Promise.reject(new Error("disk full")) },
    };

    await expect(runLoop(fresh(), engine, here.control)).rejects.toThrow("disk full");
    expect(reported).toEqual([]);
    expect(here.steps).toEqual([]);
  });

  it("runs a forked worker concurrently with its parent, fresh and with its attributes", async () => {
    const here = world({
      "START.sh": '<fork next="END" item="7">WORK</fork>',
      "END.sh": "<result>parent</result>",
      "WORK.md": (step) =>
        modelReply(step, `<result>${step.agent.attributes["item"] ?? ""}</result>`),
    });

    const end = await loop(here, run({ agents: [agent({ state: "START.sh" })] }));

    expect(end.results).toEqual({ main: "parent", main_work1: "7" });
  });

  it("starts many steps in groups, so that others are processed in between", async () => {
    const startedIn = new Map<number, number>();
    let turn = 0;
    let over = false;
    const count = () => {
      turn += 1;
      if (!over) setImmediate(count);
    };
    const here = world({
      "START.sh": (step) => {
        startedIn.set(turn, (startedIn.get(turn) ?? 0) + 1);
        return modelReply(step, "<result/>");
      },
    });
    const agents = Array.from({ length: 20 }, (_, n) =>
      agent({ id: `a${String(n)}`, state: "START.sh" }),
    );

    count();
    await loop(here, run({ agents }));
    over = true;

    expect([...startedIn.values()].reduce((sum, each) => sum + each)).toBe(20);
    expect(Math.max(...startedIn.values())).toBeLessThanOrEqual(8);
  });

  it("saves an accepted prompt while its step is running", async () => {
    let release = (): void => undefined;
    const here = world({
      "START.md": async (step, _, listener) => {
        listener.accepted();
        await new Promise<void>((resolve) => {
          release = resolve;
        });
        return modelReply(step, "<result/>");
      },
    });
    const engine = {
      ...here.engine,
      store: {
        save: async (state: RunState, expected: number) => {
          await here.engine.store.save(state, expected);
          if (inFlight(state)[0]?.activity.accepted === true) release();
        },
      },
    };

    expect((await runLoop(fresh(), engine, here.control)).status).toBe("completed");
  });

  it("retries after a crash when the back-off is over", async () => {
    const here = world({
      "START.md": (step) => (step.attempt === 1 ? failure("crash") : modelReply(step, "<result/>")),
    });

    const ending = loop(here);
    await here.clock.someoneSleeps();
    expect(here.steps).toHaveLength(1);
    expect(here.saves.at(-1)?.status).toBe("waiting");
    here.clock.advance(1_000);

    expect((await ending).status).toBe("completed");
    expect(here.clock.sleeping).toBe(0);
  });

  it("wakes from a usage limit by wall clock, in short sleeps", async () => {
    const resetsAt = Date.parse("2026-11-21T13:00:00.000Z");
    const here = world({
      "START.md": (step) =>
        step.attempt === 1 ? failure(limitUntil(resetsAt)) : modelReply(step, "<result/>"),
    });

    const ending = loop(here);
    await here.clock.someoneSleeps();
    // A machine that was suspended: much later at once.
    here.clock.advance(3_600_000);

    expect((await ending).status).toBe("completed");
    expect(here.events.map(({ type }) => type)).toEqual(
      expect.arrayContaining(["run.waiting", "run.woke"]),
    );
  });

  it("reports from time to time that it is waiting, and at once after a resume", async () => {
    const here = world({ "START.md": "<result/>" });
    const until = here.clock.now() + 20 * 60_000;
    const wait = { class: "limit", until, since: 0, tries: 1, process: 0, message: "x" } as const;

    const ending = loop(here, { ...fresh(), waits: { claude: wait } });
    for (let minute = 0; minute < 40; minute += 1) {
      await here.clock.someoneSleeps();
      here.clock.advance(30_000);
    }
    await ending;

    const words = here.events.flatMap((event) =>
      event.type === "run.still-waiting" ? event.leftMs / 60_000 : [],
    );
    expect(words).toEqual([20, 15, 5, 1]);
  });

  it("retries at once on request", async () => {
    const here = world({
      "START.md": (step) => (step.attempt === 1 ? failure("limit") : modelReply(step, "<result/>")),
    });

    const ending = loop(here);
    await here.clock.someoneSleeps();
    here.retryNow();

    expect((await ending).status).toBe("completed");
    expect(here.clock.sleeping).toBe(0);
  });

  it("interrupts every step at a signal, and keeps them for a resume", async () => {
    const wait: Parameters<typeof world>[0][string] = async (_, cancellation) => {
      here.interrupt("SIGTERM");
      await cancelled(cancellation);
      return failure("cancelled");
    };
    const here = world({ "START.md": wait });

    const end = await loop(here);

    expect(end).toMatchObject({
      status: "interrupted",
      stopReason: { signal: "SIGTERM" },
      agents: [{ state: "START.md", activity: { type: "ready" } }],
    });
    expect(here.clock.sleeping).toBe(0);
  });

  it("starts nothing after an early signal", async () => {
    const here = world({ "START.md": "<result/>" });
    here.interrupt("SIGINT");

    const end = await loop(here);

    expect(end).toMatchObject({ status: "interrupted", processes: 0, agents: [{ starts: 0 }] });
    expect(here.steps).toEqual([]);
    expect(here.events.map(({ type }) => type)).toEqual(["run.stopping", "run.ended"]);
  });

  it("prefers a waiting agent to one whose step has just ended", async () => {
    const again = (step: Parameters<typeof modelReply>[0]) =>
      modelReply(step, here.steps.length < 4 ? "<goto>LOOP</goto>" : "<result/>");
    const here = world({ "LOOP.md": again });
    const agents = ["a", "b"].map((id) => agent({ id, state: "LOOP.md", session: FRESH }));

    await loop(here, run({ agents, settings: settings({ maxParallel: 1 }) }));

    expect(here.steps.map((step) => step.agent.id).slice(0, 4)).toEqual(["a", "b", "a", "b"]);
  });

  it("admits no more agents than max_visits into a state at the same time", async () => {
    const here = world({ "START.sh": "<result/>" });
    const workflows = oneWorkflow({
      ...here.engine.workflows.scope(null),
      load: loaded(() => "# raymond: max_visits=2"),
    });
    const agents = ["a", "b", "c"].map((id) => agent({ id, state: "START.sh" }));

    const stopped = await runLoop(run({ agents }), { ...here.engine, workflows }, here.control);
    const end = await runLoop(recover(stopped, {}), { ...here.engine, workflows }, here.control);

    expect(stopped).toMatchObject({ status: "paused", steps: 2, agents: [{ id: "c" }] });
    expect(end).toMatchObject({ status: "completed", steps: 3 });
  });

  it("gives scripts a minute when the run fails, and lets prompts finish", async () => {
    const ended: string[] = [];
    const here = world({
      "FAIL.md": () => failure("deterministic"),
      "SLOW.sh": async (_, cancellation) => {
        await cancelled(cancellation);
        ended.push("script");
        return failure("cancelled");
      },
      "LONG.md": async (step, cancellation) => {
        await here.clock.someoneSleeps();
        expect(cancellation.interrupt.aborted).toBe(false);
        here.clock.advance(60_000);
        expect(cancellation.interrupt.aborted).toBe(false);
        ended.push("prompt");
        return modelReply(step, "<goto>LONG</goto>");
      },
    });
    const agents = ["FAIL.md", "SLOW.sh", "LONG.md"].map((state, n) =>
      agent({ id: `a${String(n)}`, state }),
    );

    const end = await loop(here, run({ agents, settings: settings({ budgetMicroUsd: null }) }));

    expect(end).toMatchObject({ status: "failed", steps: 1 });
    expect(ended.toSorted()).toEqual(["prompt", "script"]);
  });

  it("retries also if a save took longer than the pause", async () => {
    let tries = 0;
    const here: ReturnType<typeof world> = world(
      {
        "START.md": (step) => {
          tries += 1;
          return tries === 1 ? failure("crash") : modelReply(step, "<result>done</result>");
        },
      },
      {
        store: {
          save: () => {
            here.clock.advance(60_000);
            return Promise.resolve();
          },
        },
      },
    );

    expect((await loop(here)).results).toEqual({ main: "done" });
  });

  it("reports the events of steps in order, and never an older run", async () => {
    const seen: (readonly [string, number])[] = [];
    const here = world(
      {
        "START.md": (step, _, listener) => {
          listener.message("first");
          listener.accepted();
          listener.message("second");
          return modelReply(step, "<goto>NEXT</goto>");
        },
        "NEXT.md": (step, _, listener) => {
          listener.message("third");
          return modelReply(step, "<result/>");
        },
      },
      { observer: { notify: (event, { saves }) => void seen.push([event.type, saves]) } },
    );

    await loop(here);

    const order = seen.map(([type]) => type).filter((type) => /^step.(?!waiting)|moved/.test(type));
    expect(order).toEqual([
      ...["step.started", "step.message", "step.message", "step.ended", "agent.moved"],
      ...["step.started", "step.message", "step.ended"],
    ]);
    const saves = seen.map(([, number]) => number);
    expect(saves).toEqual(saves.toSorted((a, b) => a - b));
  });

  it("stops the steps in flight before it throws a bug", async () => {
    let stopped = false;
    const here = world({
      "BUG.md": () => Promise.reject(new Error("a bug")),
      "LONG.md": async (_, cancellation) => {
        await cancelled(cancellation);
        stopped = true;
        return failure("cancelled");
      },
    });
    const agents = [agent({ id: "a", state: "LONG.md" }), agent({ id: "b", state: "BUG.md" })];

    await expect(loop(here, run({ agents }))).rejects.toThrow("a bug");
    expect(stopped).toBe(true);
  });

  it("terminates orphan processes when the run ends, and reports them first", async () => {
    const here = world(
      { "START.md": "<result/>" },
      {
        orphans: {
          ...NO_ORPHANS,
          end: () => Promise.resolve({ ended: [{ pid: 77, command: "sleep 100" }], remaining: [] }),
        },
      },
    );

    await loop(here);

    expect(here.events.slice(-2)).toMatchObject([
      { type: "run.warning", message: expect.stringContaining("sleep 100") as string },
      { type: "run.ended" },
    ]);
  });

  it("fails a step with an invalid state file without executing it", async () => {
    const here = world({ "START.md": "<result/>" });
    const workflows = oneWorkflow({
      ...here.engine.workflows.scope(null),
      load: loaded(() => "---\nallowed_transitions: []\n---\nx"),
    });

    const end = await runLoop(fresh(), { ...here.engine, workflows }, here.control);

    expect(end).toMatchObject({
      status: "failed",
      stopReason: { class: "deterministic", state: "START.md" },
    });
    expect(here.steps).toEqual([]);
  });

  it("finds an invalid on_error before the script runs", async () => {
    const here = world({ "START.sh": "<result/>" });
    const workflows = oneWorkflow({
      ...here.engine.workflows.scope(null),
      load: loaded(() => "# raymond: on_error=GONE\n"),
    });
    const from = run({ agents: [agent({ state: "START.sh" })] });

    const end = await runLoop(from, { ...here.engine, workflows }, here.control);

    expect(end).toMatchObject({
      status: "failed",
      stopReason: { message: expect.stringContaining("Invalid directive on_error=GONE") as string },
    });
    expect(here.steps).toEqual([]);
  });

  it("pauses before a visit too many, after the allowed ones", async () => {
    const here = world({ "START.md": "<goto>START</goto>" });
    const workflows = oneWorkflow({
      ...here.engine.workflows.scope(null),
      load: loaded(() => "---\nmax_visits: 3\n---\nAgain."),
    });

    const end = await runLoop(fresh(), { ...here.engine, workflows }, here.control);

    expect(end).toMatchObject({
      status: "paused",
      steps: 3,
      stopReason: { class: "step-limit", state: "START.md" },
      agents: [{ state: "START.md", starts: 0 }],
    });
    expect(here.steps).toHaveLength(3);
  });

  it("limits the cost of a step to the remaining budget of its state", async () => {
    const here = world({ "START.md": "<result/>" });
    const workflows = oneWorkflow({
      ...here.engine.workflows.scope(null),
      load: loaded(() => "---\nbudget: 0.25\n---\nDo it."),
    });

    await runLoop(fresh(), { ...here.engine, workflows }, here.control);

    expect(here.steps).toMatchObject([{ capMicroUsd: 250_000 }]);
  });
});
