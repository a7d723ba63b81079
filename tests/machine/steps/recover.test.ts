import { describe, expect, it } from "vitest";
import { READY } from "../../../src/machine/model/activity.ts";
import { FRESH } from "../../../src/machine/model/agent.ts";
import type { RecoveredSession } from "../../../src/machine/model/recovered-session.ts";
import { NO_SPEND } from "../../../src/machine/model/spend.ts";
import { recover } from "../../../src/machine/steps/recover.ts";
import { agent, failed, waiting } from "../../support/agents.ts";
import { output } from "../../support/outcomes.ts";
import { RunDriver } from "../../support/run-driver.ts";
import { run } from "../../support/runs.ts";
import { partialSpend } from "../../support/spend.ts";

const S1 = { mode: "resume", id: "s1" } as const;

describe("recover", () => {
  it("continues a step whose prompt was accepted, in its own session, with a note", () => {
    const crashed = new RunDriver(run({ agents: [agent({ session: FRESH })] }))
      .start()
      .accept().run;

    expect(recover(crashed, {}).agents[0]).toMatchObject({
      session: { mode: "resume", id: "new1" },
      delivery: "interrupted",
      activity: READY,
      starts: 1,
    });
  });

  it.each([
    [FRESH, FRESH],
    [S1, S1],
    [
      { mode: "branch", source: "s1", id: null },
      { mode: "branch", source: "s1", id: null },
    ],
  ] as const)(
    "sends a prompt that was not accepted again, from %o, without an id that may be in use",
    (session, expected) => {
      const crashed = new RunDriver(run({ agents: [agent({ session })] })).start().run;

      expect(recover(crashed, {}).agents[0]).toMatchObject({
        session: expected,
        delivery: "prompt",
      });
    },
  );

  it("sends a reminder that was not accepted again, and not the prompt", () => {
    const fault = { code: "no-tag", message: "No tag." } as const;
    const reminded = agent({ session: S1, delivery: "reminder", fault, reminders: 2 });

    const crashed = new RunDriver(run({ agents: [reminded] })).start().run;

    expect(recover(crashed, {}).agents[0]).toMatchObject({
      delivery: "reminder",
      fault,
      reminders: 2,
    });
  });

  it("estimates the usage of a client that died with raymond, separately", () => {
    const tokens = { input: 1_000, output: 100, cacheRead: 0, cacheWrite: 0 };
    const spend = partialSpend({ version: "2.1.330", model: "sonnet", tokens, listPrice: 3 });
    const driven = new RunDriver(run()).start().accept();
    const process = driven.process("main");
    const crashed = driven.apply({ type: "spending", agent: "main", process, spend }).run;

    expect(recover(crashed, {})).toMatchObject({
      totals: { attempts: 1, costMicroUsd: 0, estimatedMicroUsd: 4_500 },
      sums: { states: { "START.md": { estimatedMicroUsd: 4_500 } } },
    });
  });

  it("counts an attempt whose prompt was accepted, of an unknown model, if its usage is unknown", () => {
    const accepted = new RunDriver(run()).start().accept().run;
    const started = new RunDriver(run()).start().run;

    expect(recover(accepted, {})).toMatchObject({
      totals: { attempts: 1, costMicroUsd: 0, estimatedMicroUsd: 0 },
      sums: { models: { unknown: { attempts: 1 } } },
    });
    expect(recover(started, {}).totals.attempts).toBe(0);
  });

  describe("with the recovered conversation", () => {
    const FOUND = { hasPrompt: false, lost: false, answer: null, spend: NO_SPEND } as const;
    const recovered = (found: Partial<RecoveredSession>) =>
      new Map([["main", { ...FOUND, ...found }]]);
    const spent = (input: number) =>
      partialSpend({ model: "sonnet", tokens: { ...NO_SPEND.tokens, input } });

    it("continues a started step, although raymond died before it was reported", () => {
      const crashed = new RunDriver(run({ agents: [agent({ session: FRESH })] })).start().run;

      expect(recover(crashed, {}, recovered({ hasPrompt: true })).agents[0]).toMatchObject({
        session: { mode: "resume", id: "new1" },
        delivery: "interrupted",
      });
    });

    it("sends the whole prompt again only if the accepted one is lost", () => {
      const pendingResult = "found";
      const agents = [agent({ session: S1, pendingResult })];
      const crashed = new RunDriver(run({ agents })).start().accept().run;

      expect(recover(crashed, {}, recovered({ lost: true })).agents[0]).toMatchObject({
        session: S1,
        delivery: "prompt",
        pendingResult,
      });
      expect(recover(crashed, {}, recovered({})).agents[0]?.delivery).toBe("interrupted");
    });

    it("leaves a step whose answer is there in flight, and counts nothing yet", () => {
      const crashed = new RunDriver(run()).start().run;
      const found = recovered({ hasPrompt: true, answer: "<result/>", spend: spent(1_000) });

      expect(recover(crashed, {}, found)).toMatchObject({
        status: "running",
        agents: [{ activity: { type: "running", process: 1 } }],
        totals: { attempts: 0 },
      });
    });

    it.each([
      [500, 1_000, 3_000],
      [1_000, 500, 3_000],
    ])("counts answers in both sources once: %d tokens reported, %d found", (known, found, usd) => {
      const driven = new RunDriver(run()).start().accept();
      const process = driven.process("main");
      driven.apply({ type: "spending", agent: "main", process, spend: spent(known) });

      expect(
        recover(driven.run, {}, recovered({ hasPrompt: true, spend: spent(found) })),
      ).toMatchObject({
        totals: { attempts: 1, costMicroUsd: 0, estimatedMicroUsd: usd },
      });
    });

    it("estimates reported tokens that are not in the conversation, in addition to its total", () => {
      const driven = new RunDriver(run({ baselines: { s1: 2_000 } })).start().accept();
      const process = driven.process("main");
      driven.apply({ type: "spending", agent: "main", process, spend: spent(1_500) });
      const { tokens, unreported: reported } = spent(1_000);
      const complete = { tokens, reported, conversationMicroUsd: 5_000, settled: true };

      const found = recovered({ hasPrompt: true, spend: { ...NO_SPEND, ...complete } });

      expect(recover(driven.run, {}, found)).toMatchObject({
        totals: { costMicroUsd: 3_000, estimatedMicroUsd: 1_500 },
        baselines: { s1: 5_000 },
      });
    });
  });

  it("runs a script again, as attempt 2", () => {
    const crashed = new RunDriver(run({ agents: [agent({ state: "A.sh" })] })).start().run;

    const [event] = new RunDriver(recover(crashed, {})).start().events;

    expect(event).toMatchObject({ type: "step.started", attempt: 2 });
  });

  it("lets a failed agent enter its state again, with the same session and payload", () => {
    const branch = { mode: "branch", source: "s1", id: null } as const;
    const broken = agent({
      activity: failed(),
      session: S1,
      entered: branch,
      reminders: 3,
      retries: 3,
      starts: 7,
      delivery: "reminder",
      pendingResult: "payload",
    });

    expect(recover(run({ status: "failed", agents: [broken] }), {})).toMatchObject({
      status: "running",
      stopReason: null,
      agents: [
        {
          activity: READY,
          session: branch,
          reminders: 0,
          retries: 0,
          starts: 7,
          delivery: "prompt",
          pendingResult: "payload",
        },
      ],
    });
  });

  it("keeps its spend and its usage limit, and applies given settings", () => {
    const wait = {
      class: "limit",
      until: 5,
      since: 1,
      tries: 1,
      process: 1,
      message: "m",
    } as const;
    const limited = run({
      waits: { claude: wait },
      status: "waiting",
      agents: [agent({ activity: waiting(5) })],
    });

    const resumed = recover(limited, { budgetMicroUsd: 20_000_000 });

    expect(resumed).toMatchObject({
      waits: { claude: wait },
      settings: { budgetMicroUsd: 20_000_000, maxParallel: 16 },
    });
    expect(resumed.totals).toEqual(limited.totals);
  });

  it("reuses the numbers of calls that were not accepted", () => {
    const both = run({ agents: [agent(), agent({ id: "main_w1" })] });
    const driven = new RunDriver(both).start("main").start("main_w1");
    expect(driven.run.calls).toEqual({ "START.md": 2 });
    expect(recover(driven.run, {}).calls).toEqual({ "START.md": 0 });

    const move = {
      kind: "move",
      transitions: [{ tag: "goto", target: "A.md" }],
      implied: false,
    } as const;
    driven.end(output("x"), move, "main_w1");
    expect(recover(driven.run, {}).calls).toEqual({ "START.md": 2 });
  });
});
