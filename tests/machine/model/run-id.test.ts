import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { newRunId, RUN_ID, runIdProblem, runTail } from "../../../src/machine/model/run-id.ts";

describe("the id of a run", () => {
  it.each(["wf-2026-11-21-k3x9qd", "a", "A_b-9", "x".repeat(100), "console", "com10"])(
    "may be %s",
    (id) => {
      expect(runIdProblem(id)).toBeNull();
    },
  );

  it.each([
    ["", "is empty"],
    ["x".repeat(101), "longer"],
    ["../etc", "letters"],
    ["a/b", "letters"],
    ["a.json", "letters"],
    ["-a", "start with a letter"],
    ["a\n", "letters"],
    ["latest", "latest run"],
    ["Latest", "latest run"],
    ["CON", "device"],
    ["nul", "device"],
    ["lpt1", "device"],
  ])("may not be %j", (id, problem) => {
    expect(runIdProblem(id)).toContain(problem);
  });

  it("is new with the day in UTC, and passes its own check", () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date(0), max: new Date("9999-12-31"), noInvalidDate: true }),
        fc.infiniteStream(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })),
        (date, dice) => {
          const id = newRunId(date, (n) => Math.floor(Number(dice.next().value) * n));

          expect(id).toMatch(/^wf-\d{4}-\d\d-\d\d-[0-9a-z]{6}$/);
          expect(id).toMatch(RUN_ID);
          expect(id.slice(3, 13)).toBe(date.toISOString().slice(0, 10));
          expect(runIdProblem(id)).toBeNull();
        },
      ),
    );
  });

  it("has a tail of six characters if it is generated", () => {
    expect(runTail("wf-2026-11-21-k3x9qd")).toBe("k3x9qd");
    expect(runTail("nightly")).toBeNull();
  });
});
