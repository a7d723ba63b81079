import { describe, expect, it } from "vitest";
import { unpaid } from "../../src/core/machine/spend.ts";
import { decodeRun, encodeRun } from "../../src/stores/codec.ts";
import { parseDocument } from "../../src/stores/document.ts";
import { encodeSums } from "../../src/stores/sums-codec.ts";
import { agent } from "../support/agents.ts";
import { run, sums } from "../support/runs.ts";

const tokens = { input: 1, output: 2, cacheRead: 3, cacheWrite: 4 };
const spend = unpaid({ version: "2.1.330", model: "m", tokens, listPrice: null });
const inFlight = {
  process: 1,
  kind: "prompt",
  startedAt: "2026-11-21T10:31:00.000Z",
  accepted: true,
  call: null,
  spend,
} as const;

const SPENT = sums({ attempts: 2, costMicroUsd: 3 });

/** What every older file tells, as today's raymond has it. */
const TOLD = run({ agents: [agent({ inFlight, sums: SPENT })], baselines: { s1: 1_500_000 } });

/** Version 1: shares of the budget, a price for each conversation, and the sums of all agents in one place. */
function second() {
  const document = encodeRun(TOLD);
  return {
    ...document,
    version: 1,
    agents: document.agents.map((each) => ({
      ...without(each, "sums"),
      in_flight: {
        ...each.in_flight,
        share_usd: 0.5,
        spend: without(each.in_flight?.spend ?? {}, "list_price"),
      },
    })),
    prices: undefined,
    sums: { agents: { main: encodeSums(SPENT), ended: encodeSums(SPENT) }, ...document.sums },
    baselines: { s1: { total_usd: 1.5, token_price: 3 } },
  };
}

/** Version 1 of the first raymonds, which knew neither visits nor models, nor three settings. */
function first() {
  const document = second();
  return {
    ...without(document, "visits"),
    settings: without(document.settings, "max_wait_s", "max_steps", "notify"),
    sums: without(document.sums, "models"),
  };
}

function without(json: object, ...keys: readonly string[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(json).filter(([key]) => !keys.includes(key)));
}

const read = (json: unknown) => decodeRun(parseDocument(JSON.stringify(json), "one.json"));

describe("a state file of version 1", () => {
  it("is read, without what is not known any more", () => {
    expect(read(second())).toEqual(TOLD);
  });

  it("is read as the first raymonds wrote it, with the values that change nothing", () => {
    expect(read(first())).toEqual(TOLD);
  });

  it.each([
    ["visits", { ...first(), visits: {} }],
    ["notify", { ...first(), settings: { ...first().settings, notify: null } }],
    ["models", { ...first(), sums: { ...first().sums, models: {} } }],
  ])(
    "is told from one of today that is damaged: there %s stands, and others are missing",
    (_, json) => {
      expect(() => read(json)).toThrow("is missing");
    },
  );

  it.each([
    [null],
    [[]],
    ["visits"],
    [{}],
    [{ version: 1 }],
    [{ version: 1, settings: null, sums: [], agents: [null], baselines: { s: null } }],
  ])("is not taken for one when it is %j", (json) => {
    expect(() => read(json)).toThrow("cannot be used");
  });
});
