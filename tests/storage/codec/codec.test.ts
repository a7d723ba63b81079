import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseDocument } from "../../../src/storage/codec/parse-document.ts";
import type { PayloadReference } from "../../../src/storage/codec/payload.ts";
import { printRun } from "../../../src/storage/codec/print-run.ts";
import {
  decodeRun,
  encodeRun,
  payloadReferences,
} from "../../../src/storage/codec/state-document.ts";
import { agent, anySession, frame, waiting } from "../../support/agents.ts";
import { propertyRuns } from "../../support/property-runs.ts";
import { anyRun, run, totals } from "../../support/runs.ts";

const FILE = "/repo/.raymond/workflows/wf.json";
const LONG = "é".repeat(40_000);

function nothingBeside(reference: PayloadReference): string {
  throw new Error(`Unexpected reference to ${reference.file}`);
}

interface EditableRun {
  settings: { budget_usd: number; timeout_s: number };
  agents: { status: string; session: { mode: string }; session_id: string; colour?: string }[];
  colour?: string;
  token?: string;
  steps: unknown;
  status: string;
  results: unknown;
  fork_counters: unknown;
  version: number;
}

/** The state file as JSON after `change` was made to it by hand. */
function edited(change: (json: EditableRun) => void): string {
  const json = JSON.parse(printRun(run()).text) as EditableRun;
  change(json);
  return JSON.stringify(json);
}

describe("the state file", () => {
  it("decodes every encoded run to an equal run", () => {
    fc.assert(
      fc.property(anyRun, (before) => {
        const document = parseDocument(printRun(before).text, FILE);

        expect(decodeRun(document, nothingBeside)).toEqual(before);
      }),
      { numRuns: propertyRuns(300) },
    );
  });

  it("is also to be had as JSON with all texts inside", () => {
    const before = run({ results: { main: LONG } });

    expect(encodeRun(before).results).toEqual({ main: LONG });
    expect(decodeRun(encodeRun(before))).toEqual(before);
  });

  it("keeps every micro-dollar, also in sums of many", () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 1e9 })), (costs) => {
        const total = costs.reduce((sum, cost) => sum + cost, 0);
        const before = run({ totals: totals({ costMicroUsd: total }) });

        const after = decodeRun(parseDocument(printRun(before).text, FILE), nothingBeside);

        expect(after.totals.costMicroUsd).toBe(total);
      }),
    );
  });

  it("is printed as JSON prints it, also agents that were printed before", () => {
    const separators = agent({ id: "main_a1", attributes: { lines: "a\u2028b\r\nc" } });
    fc.assert(
      fc.property(anyRun, ({ agents, ...rest }) => {
        const before = { ...rest, agents: [...agents, separators] };
        const whole = `${JSON.stringify(encodeRun(before), null, 2)}\n`;

        expect(printRun(before).text).toBe(whole);
        expect(printRun(before).text).toBe(whole);
      }),
    );
  });

  it("names a long text at each save, so that it stays", () => {
    const waiting = run({ agents: [agent({ pendingResult: LONG })] });
    const first = printRun(waiting);

    expect(printRun(waiting, first.payloads)).toEqual(first);
    expect(first.payloads.size).toBe(1);
  });

  it("begins with the fields that others rely on, in their order", () => {
    const { text } = printRun(run());

    expect(Object.keys(JSON.parse(text) as object).slice(0, 14)).toEqual([
      "version",
      "workflow_id",
      "status",
      "stop_reason",
      "scope_dir",
      "launch_dir",
      "started_at",
      "updated_at",
      "settings",
      "total_cost_usd",
      "steps",
      "agents",
      "fork_counters",
      "results",
    ]);
    expect(text).toMatch(/^\{\n {2}"version": 1,\n/);
  });

  it("writes dollars, seconds and the conversation of each agent", () => {
    const branch = { mode: "branch", source: "s1", id: null } as const;
    const before = run({
      totals: totals({ costMicroUsd: 420_000 }),
      agents: [
        agent({
          session: branch,
          stack: [frame({ session: { mode: "resume", id: "s1" }, returnTo: "SUM.md" })],
        }),
      ],
    });

    expect(JSON.parse(printRun(before).text)).toMatchObject({
      total_cost_usd: 0.42,
      settings: { budget_usd: 10, timeout_s: 600, dangerously_skip_permissions: false },
      agents: [
        {
          current_state: "START.md",
          session: { mode: "branch", id: null, source: "s1" },
          session_id: "s1",
          stack: [{ session: "s1", state: "SUM.md" }],
          pending_result: null,
        },
      ],
    });
  });

  it("omits unused fields of an agent", () => {
    const { agents } = JSON.parse(printRun(run()).text) as { agents: object[] };

    expect(Object.keys(agents[0] ?? {})).toEqual([
      "id",
      "status",
      "current_state",
      "session",
      "session_id",
      "stack",
      "cwd",
      "fork_attributes",
      "pending_result",
    ]);
  });

  it("wakes the very conversation that a frame was pushed with", () => {
    fc.assert(
      fc.property(anySession, (session) => {
        const before = run({ agents: [agent({ stack: [frame({ session, returnTo: "R.md" })] })] });

        const after = decodeRun(parseDocument(printRun(before).text, FILE), nothingBeside);

        expect(after.agents[0]?.stack[0]?.session).toEqual(session);
      }),
    );
  });

  it("only refers to texts over 64 KiB, and counts their bytes", () => {
    const before = run({ results: { main: LONG }, agents: [agent({ pendingResult: LONG })] });

    const { text, payloads } = printRun(before);

    const document = parseDocument(text, FILE);
    expect(text.length).toBeLessThan(10_000);
    expect(payloadReferences(document)).toEqual([
      { file: expect.stringMatching(/^payloads\/[0-9a-f]{64}\.txt$/) as string, bytes: 80_000 },
      payloads.get(LONG),
    ]);
    expect(decodeRun(document, () => LONG)).toEqual(before);
  });

  it.each([
    ["exactly 64 KiB", "x".repeat(65_536)],
    ["what UTF-8 cannot hold", `\ud800${"x".repeat(70_000)}`],
  ])("keeps %s inside", (_, text) => {
    const { payloads } = printRun(run({ results: { main: text } }));

    expect(payloads.size).toBe(0);
  });

  it("puts a moment that no calendar has at the end of the calendar", () => {
    const { text } = printRun(run({ agents: [agent({ activity: waiting(1e300) })] }));

    expect(text).toContain('"until": "9999-12-31T23:59:59.999Z"');
  });

  it("refuses to write NaN and Infinity", () => {
    expect(() => printRun(run({ totals: totals({ costMicroUsd: Number.NaN }) }))).toThrow("NaN");
  });
});

describe("a state file that was changed by hand", () => {
  it.each<[string, string, RegExp]>([
    ["an unknown field", edited((json) => (json.colour = "red")), /: colour is not a known field/],
    ["a missing field", edited((json) => delete json.token), /: token is missing/],
    [
      "a wrong type",
      edited((json) => (json.steps = "7")),
      /: steps is wrong \(Invalid input: expected number, received string\)/,
    ],
    [
      "a wrong status",
      edited((json) => (json.status = "lost")),
      /: status is wrong \(Invalid option: expected one of "running"|/,
    ],
    ["a list in place of an object", edited((json) => (json.results = [])), /: results is wrong/],
    [
      "a wrong value in a table",
      edited((json) => (json.fork_counters = { main: -1 })),
      /: fork_counters\.main is wrong \(.*expected number/,
    ],
    [
      "a session of an unknown mode",
      edited((json) => {
        for (const each of json.agents) each.session.mode = "new";
      }),
      /: agents\[0\]\.session\.mode is wrong/,
    ],
    [
      "an unknown field of an agent",
      edited((json) => {
        for (const each of json.agents) each.colour = "red";
      }),
      /: agents\[0\]\.colour is not a known field/,
    ],
    [
      "a status that contradicts the activity",
      edited((json) => {
        for (const each of json.agents) each.status = "failed";
      }),
      /: agents\[0\]\.status contradicts `activity`/,
    ],
    [
      "a session_id that contradicts the session",
      edited((json) => {
        for (const each of json.agents) each.session_id = "other";
      }),
      /: agents\[0\]\.session_id contradicts `session`/,
    ],
    [
      "a reference out of the run's folder",
      edited((json) => (json.results = { main: { file: "../x.txt", bytes: 1 } })),
      /: results\.main\.file is wrong/,
    ],
    [
      "an amount of money that cannot be counted",
      edited((json) => (json.settings.budget_usd = 1e308)),
      /: settings\.budget_usd is wrong/,
    ],
    [
      "a time that cannot be counted",
      edited((json) => (json.settings.timeout_s = 1e308)),
      /: settings\.timeout_s is wrong/,
    ],
    ["no version", edited((json) => (json.version = 0)), /: version is wrong/],
    ["a text", '"hello"', /: it is wrong/],
    ["nothing", "", /: it is empty/],
    [
      "half a file",
      printRun(run()).text.slice(0, 300),
      /: it was cut off: it ends after 300 bytes/,
    ],
    ["a stray comma", '{ "version": 1, }', /: it is not JSON/],
  ])("with %s is refused by name", (_, text, message) => {
    expect(() => parseDocument(text, FILE)).toThrow(message);
    expect(() => parseDocument(text, FILE)).toThrow(FILE);
  });

  it("of a newer raymond is rejected with its version, independent of its content", () => {
    expect(() => parseDocument('{ "version": 5, "agents": "?" }', FILE)).toThrow(
      "it has version 5, and this raymond supports version 1",
    );
  });
});
