import { readFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BadSimulationError } from "../../../src/clients/simulation/errors.ts";
import type { ScriptedState } from "../../../src/clients/simulation/scenario.ts";
import {
  answerAt,
  parseSimulation,
  replyAt,
  replyCount,
} from "../../../src/clients/simulation/script.ts";

function stateOf(list: string, name = "PLAN.md"): ScriptedState {
  const state = parseSimulation("x.sim.yaml", `states:\n  PLAN.md:\n${list}`).states.get(name);
  if (state === undefined) throw new Error(`${name} was not read`);
  return state;
}

function faultOf(text: string): BadSimulationError {
  try {
    parseSimulation("flow/x.sim.yaml", text);
  } catch (error) {
    if (error instanceof BadSimulationError) return error;
    throw error;
  }
  throw new Error("nothing was wrong");
}

describe("parseSimulation", () => {
  it("reads a reply with all that it may say", () => {
    const state = stateOf(
      [
        '    - reply: "I have a plan. <goto>B</goto>"',
        "      cost: 0.02",
        "      delay: 2s",
        "      times: 3",
        "      capped: true",
        "      context: 130000",
        '      denied: [{ tool: Bash, input: "rm -rf /" }, { tool: Write }]',
      ].join("\n"),
    );

    expect(state).toEqual({
      line: 2,
      replies: [
        {
          kind: "reply",
          text: "I have a plan. <goto>B</goto>",
          costMicroUsd: 20_000,
          delayMs: 2_000,
          times: 3,
          capped: true,
          context: 130_000,
          answer: null,
          denials: [
            { tool: "Bash", input: "rm -rf /", exact: "rm -rf /" },
            { tool: "Write", input: "" },
          ],
        },
      ],
    });
  });

  it("has defaults for a reply: one cent, no delay, one call", () => {
    const [reply] = stateOf("    - reply: hello").replies;

    expect(reply).toEqual({
      kind: "reply",
      text: "hello",
      costMicroUsd: 10_000,
      delayMs: 0,
      times: 1,
      capped: false,
      context: null,
      answer: null,
      denials: [],
    });
  });

  it.each(["crash", "outage", "limit", "deterministic"])(
    "reads a call that fails as %s, free of charge",
    (kind) => {
      const [reply] = stateOf(`    - fail: ${kind}\n      message: Gone.`).replies;

      expect(reply).toEqual({
        kind: "failure",
        class: kind,
        message: "Gone.",
        costMicroUsd: null,
        delayMs: 0,
        times: 1,
      });
    },
  );

  it("reads the example of its documentation", async () => {
    const docs = join(import.meta.dirname, "..", "..", "..", "docs", "simulation.md");
    const example = /```yaml\n([\s\S]*?)```/.exec(await readFile(docs, "utf8"))?.[1] ?? "";

    const { states } = parseSimulation("x.sim.yaml", example);

    expect([...states.keys()]).toEqual(["PLAN.md", "IMPLEMENT.md"]);
  });

  it("accepts state names with and without .md, in any Unicode form", () => {
    const text = "states:\n  PLAN: [{ reply: a }]\n  U\u0308BEN.md: [{ reply: b }]\n";

    const { states } = parseSimulation("x.sim.yaml", text);

    expect([...states.keys()]).toEqual(["PLAN.md", "\u00dcBEN.md"]);
  });

  it.each([
    ["an unknown key of a reply", "states:\n  A:\n    - replay: x", 3, "states.A[0].replay"],
    ["an unknown key at the top", "state:\n  A: []", 1, "state"],
    [
      "an unknown key of a denial",
      "states:\n  A:\n    - reply: x\n      denied:\n        - tol: B",
      5,
      "states.A[0].denied[0].tol",
    ],
    ["a negative cost", "states:\n  A:\n    - reply: x\n      cost: -1", 4, "states.A[0].cost"],
    [
      "a cost that is a text",
      "states:\n  A:\n    - { reply: x, cost: cheap }",
      3,
      "states.A[0].cost",
    ],
    [
      "a delay that is none",
      "states:\n  A:\n    - reply: x\n\n      delay: soon",
      5,
      "states.A[0].delay",
    ],
    ["times: 0", "states:\n  A:\n    - reply: x\n      times: 0", 4, "states.A[0].times"],
    ["times: often", "states:\n  A:\n    - reply: x\n      times: often", 4, "states.A[0].times"],
    ["a failure of no known kind", "states:\n  A:\n    - fail: badly", 3, "states.A[0].fail"],
    [
      "a reply that also fails",
      "states:\n  A:\n    - fail: crash\n      reply: x",
      4,
      "states.A[0].reply",
    ],
    [
      "a message of a reply",
      "states:\n  A:\n    - reply: x\n      message: y",
      4,
      "states.A[0].message",
    ],
    ["neither reply nor fail", "states:\n  A:\n    - cost: 1", 3, "states.A[0]"],
    ["a reply that is a list", "states:\n  A:\n    - reply: [x]", 3, "states.A[0].reply"],
    ["a placeholder without quotes", "states:\n  A:\n    - reply: {{item}}", 3, ""],
    ["a number in place of a reply", "states:\n  A:\n    - 7", 3, "states.A[0]"],
    ["a state without replies", "states:\n  B:\n    - reply: x\n  A: []", 4, "states.A"],
    ["a state that is a text", "states:\n  A: hello", 2, "states.A"],
    ["a script", "states:\n  A.sh:\n    - reply: x", 2, "states.A.sh"],
    ["a path", "states:\n  ../A:\n    - reply: x", 2, "states.../A"],
    [
      "one state under two names",
      "states:\n  A: [{ reply: x }]\n  A.md: [{ reply: y }]",
      3,
      "states.A.md",
    ],
    [
      "what follows times: always",
      "states:\n  A:\n    - { reply: x, times: always }\n    - { reply: y }",
      4,
      "states.A[1]",
    ],
    ["no states at all", "{}", 1, ""],
    ["states that are no mapping", "states: 3", 1, "states"],
    ["an empty file", "", 1, ""],
    ["a key that stands twice", "states:\n  A: [{ reply: x }]\n  A: [{ reply: y }]", 3, ""],
    ["what is not YAML", "states:\n  A: [", 2, ""],
    ["a YAML tag of its own", "states: !run\n  A: [{ reply: x }]", 1, ""],
  ] as const)("refuses %s, naming file, line and field", (_, text, line, field) => {
    const fault = faultOf(text);

    expect(fault).toMatchObject({ code: "simulation/bad-file", line, field });
    expect(fault.message).toMatch(new RegExp(`^flow/x\\.sim\\.yaml:${String(line)}:\\d+: `));
    expect(fault.message).toMatch(/[.?]$/);
    expect(fault.hint).toContain("docs/simulation.md");
  });

  it("suggests the key that was probably meant", () => {
    expect(faultOf("states:\n  A:\n    - replay: x").message).toContain('Did you mean "reply"?');
    expect(faultOf("State:\n  A: []").message).toContain('Did you mean "states"?');
  });

  it("is not blown up by aliases that multiply", () => {
    const levels = Array.from(
      { length: 12 },
      (_, n) =>
        `l${String(n + 1)}: &l${String(n + 1)} [${Array(10)
          .fill(`*l${String(n)}`)
          .join(", ")}]`,
    );

    const fault = faultOf(`l0: &l0 [x]\n${levels.join("\n")}\nstates: *l12\n`);

    expect(fault.message).toMatch(/Too (?:large|many YAML aliases)/);
  });

  it("reports a duplicate key with both lines", () => {
    const text = "states:\n  A: [{ reply: x }]\n  A: [{ reply: y }]";

    expect(() => parseSimulation("a.sim.yaml", text)).toThrow(
      'a.sim.yaml:3:3: Duplicate key "A": first defined in line 2.',
    );
  });

  it("is quick to refuse thousands of keys that are there twice", () => {
    const start = process.cpuUsage();

    expect(() => parseSimulation("a.sim.yaml", `{${"a,".repeat(60_000)}}`)).toThrow(
      /Duplicate key "a"/,
    );
    expect(process.cpuUsage(start).user).toBeLessThan(5_000_000);
  });

  it("rejects deep nesting with its own error", () => {
    const chain = `s:\n  P${" a: 2,".repeat(20_000)}\nt:\n`;
    for (const text of [chain, "[".repeat(100_000), "- ".repeat(100_000)]) {
      expect(() => parseSimulation("a.sim.yaml", text)).toThrow(BadSimulationError);
    }
  });

  it.each(["? ", "- ", "[", "{a: ", ": ", "? : "])(
    "is quick to refuse %j many times over, which some readers expand without end",
    (unit) => {
      for (const times of [30, 400, 40_000]) {
        expect(() => parseSimulation("a.sim.yaml", unit.repeat(times))).toThrow(BadSimulationError);
      }
    },
  );

  it("throws only its own errors for any text", () => {
    const anyYaml = fc.oneof(
      fc.string(),
      fc.json().map((json) => `states:\n  A: ${json}`),
      fc.json().map((json) => `states:\n  A:\n    - reply: x\n      denied: ${json}`),
    );
    fc.assert(
      fc.property(anyYaml, (text) => {
        try {
          parseSimulation("x.sim.yaml", text);
        } catch (error) {
          expect(error).toBeInstanceOf(BadSimulationError);
        }
      }),
    );
  });
});

describe("answerAt", () => {
  const simulation = parseSimulation(
    "x.sim.yaml",
    [
      "states:",
      "  REVIEW:",
      "    - reply: one",
      '    - { reply: two, answer: "yes", times: 2 }',
      "  ASK.sh: [{ answer: fix }, { answer: keep, times: always }]",
    ].join("\n"),
  );
  const at = (from: string, call: number) => answerAt(simulation, { from, call });

  it("is next to the reply of the call that asks", () => {
    expect([0, 1, 2, 3].map((call) => at("REVIEW.md", call))).toEqual([null, "yes", "yes", null]);
  });

  it("is of a script the one of its visit, and of any other state none", () => {
    expect([0, 1, 9].map((call) => at("ASK.sh", call))).toEqual(["fix", "keep", "keep"]);
    expect(at("OTHER.md", 0)).toBeNull();
  });

  it.each([
    ["an answer without its text", "  A.sh: [{ times: 2 }]", /a text is expected/],
    ["an answer that is no text", "  A.sh: [{ answer: true }]", /a text is expected/],
    ["a failure with an answer", "  A: [{ fail: crash, answer: x }]", /no "answer"/],
    ["an unknown key of a script", "  A.sh: [{ answer: x, cost: 1 }]", /unknown key "cost"/],
  ])("refuses %s", (_, state, problem) => {
    expect(() => parseSimulation("x.sim.yaml", `states:\n${state}`)).toThrow(problem);
  });
});

describe("replyAt", () => {
  it("returns each reply the specified number of times, in order, and then null", () => {
    const anyTimes = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(anyTimes, fc.boolean(), (times, endless) => {
        const items = times.map(
          (count, index) => `    - { reply: r${String(index)}, times: ${String(count)} }`,
        );
        const last = endless ? ["    - { reply: last, times: always }"] : [];
        const state = stateOf([...items, ...last].join("\n"));
        const expected = times.flatMap((count, index) =>
          Array<string>(count).fill(`r${String(index)}`),
        );

        const given = Array.from({ length: expected.length + 3 }, (_, n) => {
          const reply = replyAt(state, n);
          return reply?.kind === "reply" ? reply.text : null;
        });

        expect(given).toEqual([
          ...expected,
          ...Array<string | null>(3).fill(endless ? "last" : null),
        ]);
        expect(replyCount(state)).toBe(endless ? Infinity : expected.length);
      }),
    );
  });
});
