import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { charge, learnPrice, priceOf } from "../../../src/core/machine/ledger.ts";
import { NO_SPEND, NO_TOKENS, type SpendReport, unpaid } from "../../../src/core/machine/spend.ts";

/** What it is worth at $3 a million: 4,500 micro-dollars. */
const TOKENS = { ...NO_TOKENS, input: 1_000, output: 100 };
const MODEL = { version: "2.1.330", model: "sonnet", tokens: TOKENS, listPrice: null };

function report(changes: Partial<SpendReport>): SpendReport {
  return { ...NO_SPEND, ...MODEL, settled: true, ...changes };
}
/** As a client says it that knows the cost of the call, of the conversation, or of neither. */
const ofCall = (costMicroUsd: number) => report({ costMicroUsd });
const ofAll = (conversationMicroUsd: number) => report({ conversationMicroUsd });

describe("charge", () => {
  it("costs what the client says of the attempt alone", () => {
    expect(charge(ofCall(4_500), 9_000, {})).toEqual({
      costMicroUsd: 4_500,
      estimatedMicroUsd: 0,
      baselineMicroUsd: 9_000,
    });
  });

  it("costs the difference to the baseline where the total is that of the conversation", () => {
    const first = charge(ofAll(4_500), 0, {});
    const second = charge(ofAll(9_000), first.baselineMicroUsd, {});

    expect([first.costMicroUsd, second.costMicroUsd]).toEqual([4_500, 4_500]);
    expect(second.baselineMicroUsd).toBe(9_000);
  });

  it("takes a total below the baseline as it is: the client has begun to count anew", () => {
    expect(charge(ofAll(4_500), 9_000, {})).toMatchObject({
      costMicroUsd: 4_500,
      baselineMicroUsd: 4_500,
    });
  });

  it("does not raise the baseline by an attempt that was ended: later totals may not hold it", () => {
    const ended = report({ conversationMicroUsd: 9_000, settled: false });

    expect(charge(ended, 4_500, {})).toMatchObject({
      costMicroUsd: 4_500,
      baselineMicroUsd: 4_500,
    });
  });

  it("adds an estimate of what was broken off to the cost of what was reported", () => {
    const broken = { ...ofCall(4_500), tokens: { ...TOKENS, input: 3_000 }, unreported: TOKENS };

    expect(charge(broken, 0, { sonnet: 2 })).toMatchObject({
      costMicroUsd: 4_500,
      estimatedMicroUsd: 3_000,
    });
  });

  it("estimates an attempt without a figure by what the run was charged for the model, else by list", () => {
    const killed = unpaid({ ...MODEL, listPrice: 5 });

    expect(charge(killed, 7, { sonnet: 2 })).toEqual({
      costMicroUsd: 0,
      estimatedMicroUsd: 3_000,
      baselineMicroUsd: 7,
    });
    expect(charge(killed, 7, { opus: 2 }).estimatedMicroUsd).toBe(7_500);
  });

  it("estimates at three dollars per million where nothing is known, and nothing for nothing", () => {
    expect(charge(unpaid(MODEL), 0, {}).estimatedMicroUsd).toBe(4_500);
    expect(charge(unpaid({ ...MODEL, tokens: NO_TOKENS }), 0, {}).estimatedMicroUsd).toBe(0);
  });

  it("law: over any conversation on changing clients no answer is forgotten, and those that end are exact", () => {
    // A model of three clients: the oldest says what the call has cost, the newer two what the
    // conversation has; the newest also what the call has. Of a call that is ended the total told
    // holds the answer that was broken off; what is kept of it for later totals is anybody's guess.
    const anyCall = fc.record({
      client: fc.constantFrom("call", "conversation", "both"),
      cost: fc.integer({ min: 1, max: 1_000_000 }),
      ended: fc.boolean(),
      kept: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(anyCall, { maxLength: 30 }), (calls) => {
        let total = 0;
        let baseline = 0;
        let counted = 0;
        for (const { client, cost, ended, kept } of calls) {
          const settled = !ended;
          const said = total + cost;
          const told = {
            call: { costMicroUsd: cost },
            conversation: { conversationMicroUsd: said },
            both: { costMicroUsd: cost, conversationMicroUsd: said },
          }[client];
          if (client !== "call" && (settled || kept)) total = said;
          const charged = charge(report({ ...told, settled }), baseline, {});
          counted += charged.costMicroUsd;
          baseline = charged.baselineMicroUsd;
        }
        const spent = calls.reduce((sum, { cost }) => sum + cost, 0);
        expect(counted).toBeGreaterThanOrEqual(spent);
        const exact = calls.every(({ ended, client }) => !ended || client === "call");
        if (exact) expect(counted).toBe(spent);
      }),
    );
  });
});

describe("the prices of a run", () => {
  it("are what each model has cost last, and win over the list", () => {
    const learnt = learnPrice({}, ofCall(9_000), charge(ofCall(9_000), 0, {}));

    expect(learnt).toEqual({ sonnet: 6 });
    expect(priceOf({ model: "sonnet", listPrice: 3 }, learnt)).toBe(6);
    expect(priceOf({ model: "opus", listPrice: 15 }, learnt)).toBe(15);
    expect(priceOf({ model: "new", listPrice: null }, learnt)).toBeNull();
    expect(priceOf({ model: null, listPrice: null }, learnt)).toBeNull();
  });

  it("are not learnt from what has no model, no cost, or no tokens of its own", () => {
    for (const of of [report({ costMicroUsd: 9, model: null }), ofCall(0), unpaid(MODEL)]) {
      expect(learnPrice({ a: 1 }, of, charge(of, 0, {}))).toEqual({ a: 1 });
    }
  });
});
