import { describe, expect, it } from "vitest";
import { waitLines } from "../../../../src/dashboard/page/rows/wait-lines.ts";
import { agent } from "./logged.ts";

const NOW = Date.parse("2026-11-22T10:00:00Z");
const UNTIL = "2026-11-22T12:00:00Z";
const delayed = (name: string) =>
  agent({ agent: name, does: "waiting", waits_for: { for: "delay", until: UNTIL } });
const LIMIT = {
  class: "limit" as const,
  ...{ until: UNTIL, since: UNTIL, tries: 1, process: 1, message: "Limit hit" },
};
const NOTHING = { status: "waiting", wait: null, agents: [], stop_reason: null } as const;

describe("why a run makes no progress", () => {
  it("names the delay of an agent and its end", () => {
    const [line] = waitLines({ ...NOTHING, agents: [delayed("main")] }, NOW);

    expect(line).toMatch(/^main: waiting for the delay of its workflow, until today \d\d:00\.$/);
  });

  it("counts agents beyond three", () => {
    const agents = ["a", "b", "c", "d", "e"].map(delayed);

    expect(waitLines({ ...NOTHING, agents }, NOW).at(-1)).toBe("2 more agents are waiting.");
  });

  it("names the end of a usage limit also while scripts run, and where the run has stopped", () => {
    const stop_reason = { class: "limit", message: "x", agent: "main", state: "A.md" } as const;

    expect(waitLines({ ...NOTHING, status: "running", wait: LIMIT }, NOW)[0]).toMatch(
      /^Waiting for the usage limit, next try today \d\d:00: Limit hit$/,
    );
    expect(waitLines({ ...NOTHING, status: "paused", wait: LIMIT, stop_reason }, NOW)[0]).toMatch(
      /^The usage limit resets today \d\d:00\.$/,
    );
  });
});
