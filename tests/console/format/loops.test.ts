import { describe, expect, it } from "vitest";
import { formatEvent } from "../../../src/console/format/format-event.ts";
import { loopFolder } from "../../../src/console/format/loops.ts";
import { isShown } from "../../../src/console/line.ts";
import type { Event } from "../../../src/machine/model/event.ts";
import { samples } from "../../log/samples.ts";

const at = { agent: "main", state: "POLL.sh" } as const;

/** One round of a script that sends its agent there. */
function round(to: string, durationMs = 20): readonly Event[] {
  return [
    { ...samples["step.started"], ...at, kind: "script", attempt: 1, session: null },
    { ...samples["step.output"], ...at, stream: "stdout" },
    { ...samples["step.ended"], ...at, kind: "script", durationMs, costMicroUsd: 0, denials: [] },
    moved("POLL.sh", to),
  ];
}

function moved(from: string, to: string): Event {
  const transition = { tag: "goto", target: to } as const;
  return { ...samples["agent.moved"], from, to, transition, implied: false, dropped: 0 };
}

function rounds(times: number, durationMs?: number): readonly Event[] {
  return Array.from({ length: times }, () => round("POLL.sh", durationMs)).flat();
}

/** The lines that are shown without --verbose. */
function seen(events: readonly Event[]): readonly string[] {
  const fold = loopFolder();
  return events
    .flatMap((event) => fold(event, formatEvent(event)))
    .filter((line) => isShown(line, "normal"))
    .map(({ text }) => text);
}

describe("the rounds of a script that polls", () => {
  it("are one line when the agent leaves, and are shown at growing intervals before", () => {
    expect(seen([...rounds(36), ...round("DONE.sh")])).toEqual([
      "POLL.sh",
      "POLL.sh ×10",
      "POLL.sh ×37",
      "→ goto DONE.sh",
    ]);
    expect(seen(rounds(5_000))).toEqual([
      "POLL.sh",
      "POLL.sh ×10",
      "POLL.sh ×100",
      "POLL.sh ×1000",
    ]);
  });

  it("are folded also if each takes long, except for the time of the last", () => {
    expect(seen([...rounds(2, 60_000), ...round("DONE.sh", 70_000)])).toEqual([
      "POLL.sh",
      "POLL.sh ×3",
      "1m 10s",
      "→ goto DONE.sh",
    ]);
  });

  it("do not change the lines of a script that runs once", () => {
    expect(seen(round("DONE.sh", 70_000))).toEqual(["POLL.sh", "1m 10s", "→ goto DONE.sh"]);
  });

  it("are counted from 1 after any other event of the agent", () => {
    const failed: Event = { ...samples["agent.retrying"], ...at };

    expect(seen([...rounds(3), ...round("POLL.sh").slice(0, 2), failed, ...rounds(2)])).toEqual([
      "POLL.sh",
      "POLL.sh ×4",
      ...formatEvent(failed).map(({ text }) => text),
      "POLL.sh",
    ]);
  });

  it("are shown when the run stops, and events of other agents do not interrupt them", () => {
    const other: Event = { ...samples["step.tool"], agent: "main_work1" };
    const events = rounds(3).flatMap((event) => [event, other]);
    const lines = seen([...events, { ...samples["run.ended"], status: "completed", reason: null }]);

    expect(lines.filter((text) => text.includes("POLL"))).toEqual(["POLL.sh", "POLL.sh ×3"]);
  });
});
