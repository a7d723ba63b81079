import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { waitProgress } from "../../../src/machine/waits/wait-progress.ts";
import { NOON } from "../../support/run-driver.ts";
import { run } from "../../support/runs.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const waiting = (until: number) =>
  run({
    waits: {
      claude: { class: "limit", until, since: NOON, tries: 1, process: 1, message: "Limit." },
    },
  });

/** What is left, in minutes, each time that a word is said, looking every so often. */
function words(totalMs: number, everyMs: number): readonly number[] {
  const state = waiting(NOON + totalMs);
  const said: number[] = [];
  for (let now = NOON; now < NOON + totalMs; now += everyMs) {
    const events = waitProgress(state, state, now === NOON ? NOON : now - everyMs, now);
    for (const event of events) if ("leftMs" in event) said.push(event.leftMs / MINUTE);
  }
  return said;
}

describe("countDown", () => {
  it("speaks at every full hour that is left, and at 30, 15, 5 and 1 minutes", () => {
    expect(words(3 * HOUR + 10 * MINUTE, 30_000)).toEqual([180, 120, 60, 30, 15, 5, 1]);
    expect(words(20 * MINUTE, 30_000)).toEqual([15, 5, 1]);
  });

  it("speaks once of all that was slept through", () => {
    expect(words(5 * HOUR, 4.8 * HOUR)).toEqual([12]);
  });

  it("does not report the start, end or change of a wait, which have their own events", () => {
    const old = waiting(NOON + 30 * MINUTE);
    const longer = waiting(NOON + 5 * HOUR);

    expect(waitProgress(run(), old, NOON - HOUR, NOON)).toEqual([]);
    expect(waitProgress(old, longer, NOON - HOUR, NOON)).toEqual([]);
    expect(waitProgress(old, run(), NOON - HOUR, NOON)).toEqual([]);
    expect(waitProgress(old, old, NOON - HOUR, NOON + HOUR)).toEqual([]);
  });

  it("reports at the first poll of a resumed run, unless it stops", () => {
    const state = waiting(NOON + 7 * MINUTE);
    const reason = {
      class: "limit",
      message: "x",
      agent: null,
      state: null,
    } as const;

    expect(waitProgress(state, state, null, NOON)).toEqual([
      {
        type: "run.still-waiting",
        class: "limit",
        until: NOON + 7 * MINUTE,
        leftMs: 7 * MINUTE,
      },
    ]);
    expect(waitProgress(state, { ...state, stopReason: reason }, null, NOON)).toEqual([]);
  });

  it("law: a wait has at most one report per full hour and four more, at any poll interval", () => {
    const anyCase = fc.record({
      total: fc.integer({ min: 1, max: 10 * HOUR }),
      every: fc.integer({ min: 10_000, max: HOUR }),
    });
    fc.assert(
      fc.property(anyCase, ({ total, every }) => {
        expect(words(total, every).length).toBeLessThanOrEqual(Math.floor(total / HOUR) + 4);
      }),
    );
  });
});
