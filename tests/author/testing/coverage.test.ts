import { describe, expect, it } from "vitest";
import { scene } from "./scene.ts";

/** A workflow with every kind of way that can be declared. */
const WAYS = {
  "w/START.md": [
    "---",
    "max_context: 1000",
    "on_context: FULL",
    "allowed_transitions:",
    "  - { tag: goto, target: DONE, verify: GATE, attempts: 1, on_fail: LATE }",
    "  - { tag: fork, target: WORK, cd: sub }",
    "  - { tag: join, target: DONE, timeout: 1h, timeout_next: LATE }",
    "---",
    "Begin.\n",
  ].join("\n"),
  "w/GATE.sh": "true\n",
  "w/GATE.bat": "@rem\n",
  "w/WORK.sh": "# raymond: on_error=LATE\nfalse\n",
  "w/WORK.bat": "@rem raymond: on_error=LATE\n",
  "w/DONE.md": "---\nallowed_transitions: [{ tag: result }]\n---\nEnd.\n",
  "w/LATE.md":
    "---\nallowed_transitions:\n  - { tag: result }\n  - { tag: goto, target: START }\n---\nLate.\n",
  "w/FULL.md": "---\nallowed_transitions: [{ tag: result }]\n---\nFull.\n",
  "w/NOTES.md": "No state leads here.\n",
} as const;

const ENDS = [
  "states:",
  "  DONE: [{ reply: <result>1</result>, times: always }]",
  "  LATE: [{ reply: <result>late</result> }]",
  "  FULL: [{ reply: <result>full</result> }]",
];

const FORK = '<fork cd="sub">WORK</fork><join timeout="1h" timeout_next="LATE">DONE</join>';

const TESTS = {
  gate: "{ states: { START: [{ reply: <goto>DONE</goto> }], GATE: [{}] } }",
  "no gate": "{ states: { START: [{ reply: <goto>DONE</goto> }], GATE: [{ exit: 1 }] } }",
  fork: `{ states: { START: [{ reply: '${FORK}' }], WORK: [{ output: <result>1</result> }] } }`,
  late: `{ states: { START: [{ reply: '${FORK}' }], WORK: [{ output: <result>1</result>, delay: 2h }] } }`,
  failing: `{ states: { START: [{ reply: '${FORK}' }], WORK: [{ exit: 1 }] } }`,
  full: "{ states: { START: [{ reply: <goto>DONE</goto> }], GATE: [{ exit: 1 }], LATE: [{ reply: <goto>START</goto>, context: 2000 }] } }",
};

function tests(...names: readonly (keyof typeof TESTS)[]): string {
  const lines = names.map((name) => `  ${name}: ${TESTS[name]}`);
  return `${[...ENDS, "tests:", ...lines].join("\n")}\n`;
}

describe("raymond test --coverage", () => {
  it("lists states and declared transitions without a test, with their lines", async () => {
    const { test } = await scene({ ...WAYS, "w/w.test.yaml": tests("gate") });

    const { code, out } = await test({ coverage: true });

    expect(code).toBe(0);
    expect(out.split("\n").slice(1, -1)).toEqual([
      "w: 3 of 6 states (50 %), 2 of 11 declared transitions (18 %)",
      "  never entered: FULL, LATE, WORK",
      "  never taken: w/FULL.md:2:23: <result>your result</result>",
      "  never taken: w/LATE.md:3:5: <result>your result</result>",
      "  never taken: w/LATE.md:4:5: <goto>START</goto>",
      "  never taken: w/START.md:5:5: on_fail: LATE of <goto>DONE</goto>",
      '  never taken: w/START.md:6:5: <fork next="STATE" cd="sub">WORK</fork>',
      '  never taken: w/START.md:7:5: <join timeout="1h" timeout_next="LATE">DONE</join>',
      '  never taken: w/START.md:7:5: timeout_next: LATE of <join timeout="1h" timeout_next="LATE">DONE</join>',
      "  never taken: w/START.md:3:13: on_context: FULL",
      "  never taken: w/WORK.sh:1:12: on_error: LATE",
    ]);
  });

  it("covers each kind of transition", async () => {
    const { test } = await scene({
      ...WAYS,
      "w/w.test.yaml": tests("gate", "no gate", "fork", "late", "failing", "full"),
    });

    const { out } = await test({ coverage: "100" });

    expect(out).toContain("w: 6 of 6 states (100 %), 11 of 11 declared transitions (100 %)\n");
  });

  it("fails below the required minimum", async () => {
    const { test } = await scene({ ...WAYS, "w/w.test.yaml": tests("gate") });

    expect(await test({ coverage: "18" })).toMatchObject({ code: 0 });
    const failed = await test({ coverage: "19" });
    expect(failed).toMatchObject({ code: 1 });
    expect(failed.err).toContain("The tests of w cover less than 19 %.");
    await expect(test({ coverage: "101" })).rejects.toMatchObject({ code: "cli/bad-flag" });
  });

  it("prints JSON", async () => {
    const { dir, test } = await scene({ ...WAYS, "w/w.test.yaml": tests("gate") });

    const { coverage } = JSON.parse((await test({ coverage: true, json: true })).out) as {
      coverage: readonly object[];
    };

    expect(coverage).toMatchObject([
      {
        workflow: `${dir}/w`,
        states: { total: 6, percent: 50, missing: ["FULL.md", "LATE.md", "WORK.sh"] },
      },
    ]);
  });
});
