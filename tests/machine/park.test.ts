import { describe, expect, it } from "vitest";
import { advance } from "../../src/machine/advance.ts";
import { READY, waitFor } from "../../src/machine/model/activity.ts";
import type { Agent } from "../../src/machine/model/agent.ts";
import type { RunState } from "../../src/machine/model/run-state.ts";
import { isDue } from "../../src/machine/steps/plan.ts";
import { agent, failed, running } from "../support/agents.ts";
import { run, settings } from "../support/runs.ts";

const NOON = Date.parse("2026-11-21T12:00:00.000Z");
const HOUR = 3_600_000;
const DELAYED = waitFor(HOUR, NOON, { kind: "delay" });
const ASKS = {
  kind: "answer",
  number: 1,
  question: "Ship it?",
  options: null,
  from: "A.md",
  call: 0,
  late: { state: "LATE.sh", input: null },
} as const;

/** A run of these agents after a look at `at` that parks. */
function parked(agents: readonly Partial<Agent>[], at = NOON, changes: Partial<RunState> = {}) {
  const before = run({
    agents: agents.map((one, n) => agent({ id: `a${String(n)}`, state: "A.sh", ...one })),
    ...changes,
  });
  return advance(before, { type: "looked", at, sessions: ["s1", "s2"], parks: true })[0];
}

describe("a run that parks", () => {
  it("pauses a run that only waits for a time", () => {
    expect(parked([{ activity: DELAYED }])).toMatchObject({
      status: "paused",
      stopReason: { class: "parked", message: expect.stringContaining("13:00:00Z") as string },
      agents: [{ activity: DELAYED }],
    });
  });

  it("stops for a usage limit, and for the time of a question that is waited for", () => {
    const wait = {
      class: "limit",
      until: NOON + HOUR,
      since: NOON,
      tries: 1,
      process: 0,
      message: "You have hit your limit.",
    } as const;
    const limited = parked([{ state: "A.md", activity: READY }], NOON, { waits: { claude: wait } });
    const onAsk = settings({ onAsk: "wait" });
    const asking = parked([{ activity: waitFor(HOUR, NOON, ASKS) }], NOON, { settings: onAsk });

    expect([limited, asking].map(({ stopReason }) => stopReason?.class)).toEqual([
      "parked",
      "parked",
    ]);
  });

  it.each<[string, readonly Partial<Agent>[]]>([
    ["a step that starts", [{ activity: DELAYED }, { activity: READY }]],
    ["a step in flight", [{ activity: DELAYED }, { activity: running({ kind: "script" }) }]],
    ["a person who has a conversation open", [{ activity: DELAYED }, { opened: 7 }]],
  ])("does not park with %s", (_, agents) => {
    expect(parked(agents).stopReason).toBeNull();
  });

  it("continues at its time, also after a resume", () => {
    const stopped = parked([{ activity: DELAYED }]);

    expect(isDue(stopped, NOON + HOUR - 1)).toBe(false);
    expect(isDue(stopped, NOON + HOUR)).toBe(true);
    const resumed = { type: "resumed", given: {}, recalled: {}, reported: 0 } as const;
    const [again] = advance(stopped, resumed);
    const look = { type: "looked", sessions: [], parks: true } as const;
    expect(advance(again, { ...look, at: NOON + 1 })[0].stopReason?.class).toBe("parked");
    expect(advance(again, { ...look, at: NOON + HOUR })[0]).toMatchObject({
      status: "running",
      agents: [{ activity: { type: "running" } }],
    });
  });

  it("is due for the end of a question's time, and never for a failed agent", () => {
    const asked = run({ agents: [agent({ activity: waitFor(HOUR, NOON, ASKS) })] });
    expect([isDue(asked, NOON), isDue(asked, NOON + HOUR)]).toEqual([false, true]);
    const broken = run({ status: "failed", agents: [agent({ activity: failed() })] });
    expect(isDue(broken, NOON)).toBe(false);
  });
});
