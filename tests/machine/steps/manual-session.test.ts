import { describe, expect, it } from "vitest";
import { advance } from "../../../src/machine/advance.ts";
import type { RecoveredSession } from "../../../src/machine/model/recovered-session.ts";
import type { RunState } from "../../../src/machine/model/run-state.ts";
import { NO_SPEND } from "../../../src/machine/model/spend.ts";
import { openableConversations } from "../../../src/machine/steps/manual-session.ts";
import { nextWakeTime, plan } from "../../../src/machine/steps/plan.ts";
import { recover } from "../../../src/machine/steps/recover.ts";
import { waitsOf } from "../../../src/machine/waits/waits.ts";
import { agent, failed, running } from "../../support/agents.ts";
import { run, settings } from "../../support/runs.ts";

const AT = 1_000;
const TOKENS = { input: 1_000, output: 100, cacheRead: 0, cacheWrite: 0 };
/** What a client says of a conversation that has cost so much in all, micro-dollars. */
const spend = (conversationMicroUsd: number) => ({
  ...{ ...NO_SPEND, model: "sonnet", version: "2.1.330", settled: true },
  ...{ conversationMicroUsd, tokens: TOKENS },
});

function opened(of: RunState, recalled: RecoveredSession | null = null): RunState {
  return advance(of, { type: "opened", agent: "main", at: AT, recalled })[0];
}

function handedBack(of: RunState, said = true, at = AT) {
  const talked = said ? { session: "s1", spend: spend(9_000) } : null;
  return advance(of, { type: "handed-back", agent: "main", opened: at, said: talked });
}

describe("a conversation that is opened by hand", () => {
  it("keeps its agent from stepping, and no other", () => {
    const two = run({ agents: [agent(), agent({ id: "w1" })] });

    const kept = opened(two);

    expect(plan(kept, AT).starts).toEqual(["w1"]);
    expect(waitsOf(kept, AT)(kept.agents[0] ?? agent())).toEqual({ kind: "opened", since: AT });
  });

  it("keeps the run live without other work, even if its agent has failed or asks", () => {
    const kept = opened(run({ agents: [agent({ activity: failed() })] }));

    const [looked] = advance(kept, { type: "looked", at: AT, sessions: [] });

    expect(looked).toMatchObject({ status: "waiting", stopReason: null });
    expect(nextWakeTime(looked, AT)).toBeNull();
  });

  it("is charged once at its end, as the difference to the earlier cost", () => {
    const kept = opened(run({ agents: [agent()], baselines: { s1: 4_500 } }));

    const [after, events] = handedBack(kept);
    const [again, none] = handedBack(after);

    expect(after.totals.costMicroUsd).toBe(4_500);
    expect(after.baselines).toEqual({ s1: 9_000 });
    expect(after.agents[0]).toMatchObject({ opened: null, sums: { costMicroUsd: 4_500 } });
    expect(events).toMatchObject([
      { type: "agent.handed-back", session: "s1", costMicroUsd: 4_500, totalMicroUsd: 4_500 },
    ]);
    expect([again, none]).toEqual([after, []]);
  });

  it("stops a run whose budget it has used up", () => {
    const poor = run({ agents: [agent()], settings: settings({ budgetMicroUsd: 5_000 }) });

    expect(handedBack(opened(poor))[0].stopReason).toMatchObject({ class: "budget" });
  });

  it("changes nothing else without messages, or for another session", () => {
    const before = run({ agents: [agent({ activity: failed() })] });

    const [after] = handedBack(opened(before), false);

    expect({ ...after, seq: before.seq }).toEqual(before);
    expect(handedBack(opened(before), true, AT + 1)[1]).toEqual([]);
  });

  it("restarts the state of a failed agent in it, at once or on resume", () => {
    const session = { mode: "fresh", id: "s1" } as const;
    const stuck = agent({ activity: failed(), session, entered: { mode: "fresh", id: null } });
    const resume = { mode: "resume", id: "s1" };

    const [live] = handedBack(opened(run({ agents: [stuck] })));
    const [stopped] = handedBack(opened(run({ agents: [stuck], status: "failed" })));

    expect(live.agents[0]).toMatchObject({ activity: { type: "ready" }, session: resume });
    expect(stopped.agents[0]).toMatchObject({ activity: { type: "failed" } });
    expect(recover(stopped, {}).agents[0]).toMatchObject({ session: resume });
  });

  it("leaves a branch that is to be made a branch", () => {
    const session = { mode: "branch", source: "s1", id: null } as const;
    const called = agent({ session });

    expect(openableConversations(called)).toEqual(["s1"]);
    expect(handedBack(opened(run({ agents: [called] })))[0].agents[0]).toMatchObject({ session });
  });

  it("breaks off a step that was in flight when raymond died, and counts it", () => {
    const recalled = { hasPrompt: true, lost: false, answer: null, spend: spend(4_500) };
    const flying = run({ agents: [agent({ activity: running({ process: 3 }) })] });

    const kept = opened(flying, recalled);

    expect(kept.totals.costMicroUsd).toBe(4_500);
    expect(kept.agents[0]).toMatchObject({
      ...{ activity: { type: "ready" }, delivery: "interrupted", opened: AT },
      session: { mode: "resume", id: "s1" },
    });
  });
});
