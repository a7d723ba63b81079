import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ordeal } from "../laws/ordeal.ts";
import { anyProgram } from "../laws/program.ts";
import { anyBadDay, anyOrder, anyTurmoil, type Turmoil } from "../laws/turmoil.ts";

/** Interleavings tried for each law; `RAYMOND_LAW_RUNS=100000` for a night. */
const RUNS = Number(process.env["RAYMOND_LAW_RUNS"] ?? "700");
const LONG = 600_000;

describe("a run under any order of things", () => {
  const always = async (turmoil: fc.Arbitrary<Turmoil>) => {
    await fc.assert(
      fc.asyncProperty(anyProgram, turmoil, async (program, chance) => {
        const { run, truth } = await ordeal(program, chance);
        expect(run.results).toEqual(Object.fromEntries(truth.results));
        for (const [agent, steps] of truth.past) expect(truth.moved.get(agent)).toBe(steps.length);
      }),
      { numRuns: RUNS },
    );
  };

  it("does what the reference interpreter does, whoever is faster", { timeout: LONG }, async () => {
    await always(anyOrder);
  });

  it("keeps its laws when steps fail and the user interferes", { timeout: LONG }, async () => {
    await always(anyBadDay);
  });

  it("keeps its laws when raymond and its disk fail too", { timeout: LONG }, async () => {
    await always(anyTurmoil);
  });
});
