import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { NO_SPEND, NO_TOKENS, type SpendReport } from "../../../src/machine/model/spend.ts";
import { charge, knownCost, updatePrices } from "../../../src/machine/spend/ledger.ts";
import { partialSpend, used } from "../../support/spend.ts";

/** What it is worth at $3 a million: 4,500 micro-dollars. */
const TOKENS = { ...NO_TOKENS, input: 1_000, output: 100 };
const MODEL = { version: "2.1.330", model: "sonnet" };
const FREE = partialSpend({ ...MODEL, tokens: NO_TOKENS });

function report(changes: Partial<SpendReport>): SpendReport {
  const reported = [used("sonnet", TOKENS, null)];
  return { ...NO_SPEND, ...MODEL, tokens: TOKENS, reported, settled: true, ...changes };
}
/** As a client says it that knows the cost of the call, of the conversation, or of neither. */
const ofCall = (costMicroUsd: number) => report({ costMicroUsd });
const ofAll = (conversationMicroUsd: number) => report({ conversationMicroUsd });
/** Of a model whose list price is known: $0.0045. */
const listed = (changes: Partial<SpendReport>) =>
  report({ reported: [used("sonnet", TOKENS, 3)], ...changes });

describe("charge", () => {
  it("costs the reported cost of the attempt", () => {
    expect(charge(ofCall(4_500), 9_000, {})).toEqual({
      costMicroUsd: 4_500,
      estimatedMicroUsd: 0,
      baselineMicroUsd: 9_000,
      misread: false,
    });
  });

  it("costs the difference to the baseline if the total of the conversation is reported", () => {
    const first = charge(ofAll(4_500), 0, {});
    const second = charge(ofAll(9_000), first.baselineMicroUsd, {});

    expect([first.costMicroUsd, second.costMicroUsd]).toEqual([4_500, 4_500]);
    expect(second.baselineMicroUsd).toBe(9_000);
  });

  it("uses a total below the baseline unchanged: the client has restarted its count", () => {
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

  it("adds an estimate of killed work to the reported cost", () => {
    const broken = report({ costMicroUsd: 4_500, unreported: [used("sonnet", TOKENS, null)] });

    expect(charge(broken, 0, { sonnet: 2 })).toMatchObject({
      costMicroUsd: 4_500,
      estimatedMicroUsd: 3_000,
    });
  });

  it("estimates an attempt without a figure by the last price of the model, else by list price", () => {
    const killed = partialSpend({ ...MODEL, tokens: TOKENS, listPrice: 5 });

    expect(charge(killed, 7, { sonnet: 6 })).toEqual({
      costMicroUsd: 0,
      estimatedMicroUsd: 9_000,
      baselineMicroUsd: 7,
      misread: false,
    });
    expect(charge(killed, 7, { sonnet: 2 }).estimatedMicroUsd).toBe(7_500);
    expect(charge(killed, 7, { opus: 2 }).estimatedMicroUsd).toBe(7_500);
  });

  it("estimates unknown prices at three dollars per million, and no tokens at zero", () => {
    expect(charge(partialSpend({ ...MODEL, tokens: TOKENS }), 0, {}).estimatedMicroUsd).toBe(4_500);
    expect(charge(FREE, 0, {}).estimatedMicroUsd).toBe(0);
  });

  it("law: over any conversation on changing clients no answer is forgotten, and those that end are exact", () => {
    // A model of three clients: the oldest says what the call has cost, the newer two what the
    // conversation has; the newest also what the call has. The reported total of a killed call
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
          const reported = {
            call: { costMicroUsd: cost },
            conversation: { conversationMicroUsd: said },
            both: { costMicroUsd: cost, conversationMicroUsd: said },
          }[client];
          if (client !== "call" && (settled || kept)) total = said;
          const charged = charge(report({ ...reported, settled }), baseline, {});
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

describe("a figure that does not fit its tokens", () => {
  it.each([
    ["per turn", { conversationMicroUsd: 4_500 }, 4_500, 0],
    ["in cents", { conversationMicroUsd: 450_000 }, 0, 4_500],
    ["of everything", { conversationMicroUsd: 90_000 }, 0, 4_500],
    ["nothing", { costMicroUsd: 0 }, 0, 4_500],
    ["without a version", { costMicroUsd: 9_000, conversationMicroUsd: 9_000 }, 4_500, 0],
  ])("%s: is misread, and its tokens are counted", (_, figures, costMicroUsd, estimated) => {
    expect(charge(listed(figures), 4_500, {})).toMatchObject({
      costMicroUsd,
      estimatedMicroUsd: estimated,
      misread: true,
    });
  });

  it("of a recovered conversation is plausible if it covers all answers", () => {
    const recalled = (conversationMicroUsd: number) =>
      charge(listed({ conversationMicroUsd, isRecalled: true }), 9_000, {});

    expect(recalled(13_500)).toMatchObject({ costMicroUsd: 4_500, estimatedMicroUsd: 0 });
    expect(recalled(12_500)).toMatchObject({ costMicroUsd: 0, estimatedMicroUsd: 4_500 });
  });

  it("is plausible within a factor of two, and for models without a list price", () => {
    expect(charge(listed({ costMicroUsd: 8_500 }), 0, {})).toMatchObject({
      costMicroUsd: 8_500,
      misread: false,
    });
    expect(charge(report({ costMicroUsd: 85_000 }), 0, {})).toMatchObject({
      costMicroUsd: 85_000,
      misread: false,
    });
  });

  it("law: tokens have a cost or an estimate for all figures", () => {
    const anyFigure = fc.option(fc.integer({ min: 0, max: 1_000_000 }));
    fc.assert(
      fc.property(
        anyFigure,
        anyFigure,
        fc.integer({ min: 0, max: 1_000_000 }),
        fc.option(fc.constantFrom(0.1, 3)),
        fc.integer({ min: 1, max: 1_000_000 }),
        fc.boolean(),
        (costMicroUsd, conversationMicroUsd, baseline, price, input, isReported) => {
          const uses = [used("m", { ...NO_TOKENS, input }, price)];
          const of = isReported ? { reported: uses } : { reported: [], unreported: uses };
          const reported = report({ costMicroUsd, conversationMicroUsd, ...of });
          const charged = charge(reported, baseline, {});
          const sum = charged.costMicroUsd + charged.estimatedMicroUsd;
          expect(sum).toBeGreaterThan(0);
          if (price !== null) expect(sum).toBeGreaterThanOrEqual((price * input) / 2 - 5);
        },
      ),
    );
  });
});

describe("the prices of a run", () => {
  const asked = (model: string | null, listPrice: number | null) =>
    partialSpend({ model, tokens: { ...NO_TOKENS, input: 1 }, listPrice });

  it("are the last cost of each model, at least the list price", () => {
    const learnt = updatePrices({}, ofCall(9_000), charge(ofCall(9_000), 0, {}));

    expect(learnt).toEqual({ sonnet: 6 });
    expect(knownCost(asked("sonnet", 3), learnt)).toBe(6);
    expect(knownCost(asked("sonnet", 15), learnt)).toBe(15);
    expect(knownCost(asked("opus", 15), learnt)).toBe(15);
    expect(knownCost(asked("new", null), learnt)).toBeNull();
    expect(knownCost(asked(null, null), learnt)).toBeNull();
  });

  it("are learnt of each model by itself: a cheap subagent does not make its parent cheap", () => {
    const dear = { ...used("opus", TOKENS, 5), costMicroUsd: 7_500 };
    const cheap = { ...used("haiku", { ...NO_TOKENS, input: 90_000 }, 0.1), costMicroUsd: 9_000 };
    const both = report({ costMicroUsd: 16_500, reported: [dear, cheap] });

    expect(updatePrices({}, both, charge(both, 0, {}))).toEqual({ opus: 5, haiku: 0.1 });
  });

  it("are not derived without a model, a cost or tokens", () => {
    const nameless = report({ costMicroUsd: 9, reported: [used(null, TOKENS, null)] });
    for (const of of [nameless, report({}), partialSpend({ ...MODEL, tokens: TOKENS })]) {
      expect(updatePrices({ a: 1 }, of, charge(of, 0, {}))).toEqual({ a: 1 });
    }
  });
});
