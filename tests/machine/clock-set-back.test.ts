import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { advance } from "../../src/machine/advance.ts";
import { type Activity, type WaitCause, waitFor } from "../../src/machine/model/activity.ts";
import { agent } from "../support/agents.ts";
import { run } from "../support/runs.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOON = Date.parse("2026-11-21T12:00:00.000Z");

const CAUSES: readonly WaitCause[] = [
  { kind: "delay" },
  { kind: "join", min: null, late: "LATE.sh" },
  { kind: "retry", class: "crash", tries: 1 },
];

const looked = (activity: Activity, at: number) => {
  const [next] = advance(run({ agents: [agent({ state: "A.sh", activity })] }), {
    type: "looked",
    at,
    sessions: [],
  });
  return next.agents[0]?.activity;
};

describe("a wait of a fixed duration, after the clock was set", () => {
  it.each(CAUSES)("back takes no longer than it was to take: $kind", (cause) => {
    const waiting = waitFor(30_000, NOON, cause);

    expect(looked(waiting, NOON - DAY)).toEqual(waitFor(30_000, NOON - DAY, cause));
  });

  it("forward beyond its end is over", () => {
    expect(looked(waitFor(HOUR, NOON, { kind: "delay" }), NOON + DAY)).toMatchObject({
      type: "running",
    });
  });

  it("never lasts longer than its duration, and is unchanged if the clock was not set back", () => {
    const clock = fc.integer({ min: NOON - 2 * DAY, max: NOON + 2 * DAY });
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: DAY }),
        clock,
        fc.constantFrom(...CAUSES),
        (ms, at, cause) => {
          const waiting = waitFor(ms, NOON, cause);
          const now = looked(waiting, at);

          if (now?.type !== "waiting") expect(at).toBeGreaterThanOrEqual(NOON + ms);
          else expect((now.until ?? 0) - at).toBeLessThanOrEqual(ms);
          if (now?.type === "waiting" && at >= NOON) expect(now).toEqual(waiting);
        },
      ),
    );
  });

  it("does not move the reset of a usage limit", () => {
    const activity = {
      type: "waiting",
      since: null,
      until: NOON,
      for: { kind: "limit", message: "You have hit your limit" },
    } as const;

    expect(looked(activity, NOON - DAY)).toEqual(activity);
  });
});
