import { describe, expect, it } from "vitest";
import { parseDocument } from "../../src/stores/parse-document.ts";
import type { AgentDocument } from "../../src/stores/state-document.ts";
import { decodeRun, encodeRun, encodeSums } from "../../src/stores/state-document.ts";
import { agent, failed, running, waiting } from "../support/agents.ts";
import { run, settings, sums } from "../support/runs.ts";
import { partialSpend } from "../support/spend.ts";

const tokens = { input: 1, output: 2, cacheRead: 3, cacheWrite: 4 };
const spend = partialSpend({ version: "2.1.330", model: "m", tokens });
const UNTIL = Date.parse("2026-11-21T11:00:00.000Z");

const CRASH = { kind: "retry", class: "crash" } as const;
const OUTAGE = { kind: "retry", class: "outage", tries: 3 } as const;
const SPENT = sums({ attempts: 2, costMicroUsd: 3 });

/** What every older file tells, as today's raymond has it. */
const TOLD = run({
  agents: [
    agent({ activity: running({ spend }), sums: SPENT }),
    agent({ id: "a", retries: 2, activity: waiting(UNTIL - 5, { ...CRASH, tries: 2 }) }),
    agent({ id: "b", outage: { since: 1, tries: 3 }, activity: waiting(UNTIL - 5, OUTAGE) }),
    agent({ id: "c", activity: waiting(UNTIL, { kind: "limit", message: "Weekly limit." }) }),
    agent({ id: "d", activity: failed() }),
    agent({ id: "e" }),
  ],
  calls: { "START.md": 2 },
  settings: settings({ client: "/opt/claude", switches: { memory: true } }),
  wait: { class: "limit", until: UNTIL, since: 0, tries: 1, process: 1, message: "Weekly limit." },
  baselines: { s1: 1_500_000 },
});

/** Version 2: what an agent does is spread over four fields, and settings and calls have the names of one backend. */
function third() {
  const document = encodeRun(TOLD);
  const { client, switches } = document.settings;
  return {
    ...without(document, "calls"),
    version: 2,
    replies: document.calls,
    settings: {
      ...without(document.settings, "client", "switches"),
      ...{ claude: client, memory: switches["memory"] },
    },
    sums: document.sums,
    agents: document.agents.map(({ activity, ...rest }) => ({ ...rest, ...spread(activity) })),
  };
}

function spread(activity: AgentDocument["activity"]): object {
  switch (activity?.type) {
    case undefined:
      return {};
    case "running":
      return { in_flight: { ...without(activity, "type", "call"), reply: activity.call } };
    case "waiting":
      return { not_before: activity.until };
    case "failed":
      return { error: activity.error };
  }
}

/** Version 1: shares of the budget, a price for each conversation, and the sums of all agents in one place. */
function second() {
  const document = third();
  return {
    ...document,
    version: 1,
    agents: document.agents.map((each) => ({ ...without(each, "sums"), ...withShare(each) })),
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

function withShare(each: object) {
  if (!("in_flight" in each)) return {};
  const step = each.in_flight as { readonly spend: object };
  return {
    in_flight: { ...step, share_usd: 0.5, spend: without(step.spend, "list_price") },
  };
}

function without(json: object, ...keys: readonly string[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(json).filter(([key]) => !keys.includes(key)));
}

const read = (json: unknown) => decodeRun(parseDocument(JSON.stringify(json), "one.json"));

it("a state file of version 3 is read, and stops where all wait for an answer", () => {
  const { settings: today, ...document } = encodeRun(TOLD);

  expect(read({ ...document, version: 3, settings: without(today, "on_ask") })).toEqual(TOLD);
});

describe("a state file of version 2", () => {
  it("is read, with what an agent does in one field, and no name of a backend", () => {
    expect(read(third())).toEqual(TOLD);
  });

  it.each([
    ["works and has failed", { error: {}, in_flight: {} }],
    ["is ready, and must wait", { not_before: "2026-11-21T11:00:00.000Z" }],
    ["waits for no moment", { status: "waiting" }],
    ["has failed for no reason", { status: "failed" }],
    ["does what nobody knows", { status: "lost" }],
  ])("is refused where an agent %s", (_, changes) => {
    const { agents, ...rest } = third();

    expect(() => read({ ...rest, agents: [{ ...agents.at(-1), ...changes }] })).toThrow(
      "cannot be used",
    );
  });
});

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
