import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { charge, isCumulative, NO_BASELINE } from "../../../src/core/machine/ledger.ts";
import type { Baseline } from "../../../src/core/machine/run-state.ts";
import { NO_TOKENS, type SpendReport } from "../../../src/core/machine/spend.ts";

function report(clientVersion: string | null, totalMicroUsd: number | null): SpendReport {
  const tokens = { ...NO_TOKENS, input: 1_000, output: 100 };
  return { clientVersion, model: "sonnet", totalMicroUsd, tokens };
}

describe("isCumulative", () => {
  it.each([
    ["2.1.276", false],
    ["2.1.277", true],
    ["2.1.330", true],
    ["2.2.0", true],
    ["3.0.0", true],
    ["2.0.999", false],
    ["1.9.999", false],
    ["2.1", false],
    ["nonsense", false],
    [null, false],
  ])("%s: %s", (version, expected) => {
    expect(isCumulative(version)).toBe(expected);
  });
});

describe("charge", () => {
  it("costs the difference to the baseline where totals are cumulative", () => {
    const first = charge(report("2.1.330", 4_500), NO_BASELINE);
    const second = charge(report("2.1.330", 9_000), first.baseline);

    expect([first.costMicroUsd, second.costMicroUsd]).toEqual([4_500, 4_500]);
    expect(second.baseline.totalMicroUsd).toBe(9_000);
  });

  it("costs the total of an older client, which neither uses nor touches the baseline", () => {
    const known: Baseline = { totalMicroUsd: 9_000, price: 3 };

    const { costMicroUsd, baseline } = charge(report("2.1.197", 4_500), known);

    expect(costMicroUsd).toBe(4_500);
    expect(baseline.totalMicroUsd).toBe(9_000);
  });

  it("takes a total below the baseline as it is: the client has begun to count anew", () => {
    const { costMicroUsd, baseline } = charge(report("2.1.330", 4_500), {
      totalMicroUsd: 9_000,
      price: null,
    });
    expect(costMicroUsd).toBe(4_500);
    expect(baseline.totalMicroUsd).toBe(4_500);
  });

  it("counts an unknown version as per invocation, which can only be too much", () => {
    expect(charge(report(null, 9_000), { totalMicroUsd: 4_500, price: null }).costMicroUsd).toBe(
      9_000,
    );
  });

  it("estimates an attempt without a total by the price that the session was charged last", () => {
    const { baseline } = charge(report("2.1.330", 9_000), NO_BASELINE);

    const killed = charge(report("2.1.330", null), baseline);

    expect(killed).toEqual({ costMicroUsd: 0, estimatedMicroUsd: 9_000, baseline });
  });

  it("estimates at three dollars per million where nothing is known, and nothing for nothing", () => {
    expect(charge(report(null, null), NO_BASELINE).estimatedMicroUsd).toBe(4_500);
    const silent = { ...report(null, null), tokens: NO_TOKENS };
    expect(charge(silent, NO_BASELINE).estimatedMicroUsd).toBe(0);
  });

  it("law: over any conversation on changing clients the costs add up to what was spent", () => {
    // A model of both clients: the new one keeps a total with the conversation, which the old one
    // neither reads nor writes (contract, section 1).
    const anyCall = fc.record({
      version: fc.constantFrom("2.1.197", "2.1.276", "2.1.277", "2.1.330"),
      cost: fc.integer({ min: 1, max: 1_000_000 }),
      branch: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(anyCall, { maxLength: 30 }), (calls) => {
        let clientTotal = 0;
        let baseline = NO_BASELINE;
        let counted = 0;
        for (const { version, cost } of calls) {
          const cumulative = isCumulative(version);
          if (cumulative) clientTotal += cost;
          const charged = charge(report(version, cumulative ? clientTotal : cost), baseline);
          counted += charged.costMicroUsd;
          baseline = charged.baseline;
        }
        expect(counted).toBe(calls.reduce((sum, { cost }) => sum + cost, 0));
      }),
    );
  });
});
