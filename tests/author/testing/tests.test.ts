import { describe, expect, it } from "vitest";
import { openTestedWorkflow } from "../../../src/author/tested-workflow.ts";
import { FLOW, scene } from "./scene.ts";

const HEAD = "input: the work\nstates:\n  START: [{ reply: done, times: always }]\ntests:\n";

/** A test of that flow, whose steps and expectations are these lines. */
function tested(...lines: readonly string[]): Readonly<Record<string, string>> {
  const body = lines.map((line) => `    ${line}\n`).join("");
  return { ...FLOW, "flow/flow.test.yaml": `${HEAD}  it works:\n${body}` };
}

const GOOD = [
  "states:",
  "  CHECK:",
  "    - output: <goto>START</goto>",
  '    - output: <goto input="good">END</goto>',
  "  END: [{ reply: <result>yes</result> }]",
];

describe("raymond test", () => {
  it("runs a workflow with scripted replies, and checks the expectations", async () => {
    const { test } = await scene(
      tested(
        ...GOOD,
        "expect:",
        "  path: [START, CHECK, START, CHECK, END]",
        "  result: yes",
        "  cost: 0.03",
        "  status: completed",
        "  exit: 0",
        "  steps:",
        "    - { state: START, visit: 1, session: fresh, contains: Do the work, depth: 0 }",
        "    - { state: START, visit: 2, session: resumed, lacks: /good/i }",
        "    - { state: END, contains: /^The end. good$/m }",
      ),
    );

    expect(await test()).toMatchObject({ code: 0, out: "ok    flow/flow.test.yaml: 1 test\n" });
  });

  it("needs neither a sandbox nor a container for scripts with given outputs", async () => {
    const script = "# raymond: sandbox=on container=localhost/none:1\nexit 1\n";
    const { test } = await scene({
      ...tested(...GOOD, "expect: { result: yes }"),
      "flow/CHECK.sh": script,
    });

    expect(await test()).toMatchObject({ code: 0 });
  });

  it("reports a different path with a diff", async () => {
    const { test } = await scene(
      tested(...GOOD, "expect:", "  path: [START, CHECK, END]", "  result: no", "  cost: 1"),
    );

    const { code, out } = await test();

    expect(code).toBe(1);
    expect(out.split("\n")).toEqual([
      "FAIL  flow/flow.test.yaml:5:3: it works",
      "  flow/flow.test.yaml:14:7: Expected cost $1.00, but the run cost $0.0300.",
      "  flow/flow.test.yaml:12:7: main took another path (- expected, + actual):",
      "      START",
      "      CHECK",
      "    + START",
      "    + CHECK",
      "      END",
      "  flow/flow.test.yaml:13:7: The result of main differs (- expected, + actual):",
      "    - no",
      "    + yes",
      "",
    ]);
  });

  it("requires all conditions of a step for the same attempt", async () => {
    const { test } = await scene(
      tested(...GOOD, "expect:", "  steps:", "    - { state: START, visit: 2, session: fresh }"),
    );

    const { code, out } = await test();

    expect(code).toBe(1);
    expect(out).toContain(
      "flow.test.yaml:13:11: The step in START, visit 2 differs: its session is resumed, not fresh.",
    );
  });

  it("selects a reply by a part of the prompt or payload", async () => {
    const { test } = await scene(
      tested(
        "states:",
        "  CHECK: [{ output: '<goto input=\"a\">END</goto>' }]",
        "  END:",
        "    - { when: 'end: b', reply: '<result>of b</result>' }",
        "    - { when: '/END: A/i', reply: <result>of a</result> }",
        "expect: { result: of a }",
      ),
    );

    expect(await test()).toMatchObject({ code: 0 });
  });

  it("runs delays, limits and timeouts in virtual time", async () => {
    const { test } = await scene(
      tested(
        "states:",
        "  START: [{ fail: limit, message: No more. }, { reply: done, delay: 8m }]",
        "  CHECK: [{ output: <reset delay='20h'>CHECK</reset> }, { delay: 10s }]",
        "expect: { status: failed, exit: 1, error: did not end within 5s }",
      ),
    );

    expect(await test()).toMatchObject({ code: 0 });
  });

  it.each([
    [
      "replies that run out",
      ["states: { CHECK: [{ output: <goto>START</goto> }] }"],
      "No outputs are left for CHECK",
    ],
    [
      "a script that it gives nothing for",
      ["expect: {}"],
      "scripts are run only with --run-scripts",
    ],
    [
      "a prompt that it gives nothing for",
      ["states: { CHECK: [{ output: <goto>END</goto> }] }"],
      "The test gives no replies for END.md",
    ],
    [
      "a run that never ends",
      ["max_steps: 50", "states: { CHECK: [{ output: <goto>START</goto>, times: always }] }"],
      "stopped after 50 steps",
    ],
    [
      "a wait that never ends",
      ["max_steps: 50", "states: { START: [{ fail: limit, times: always }] }"],
      "stopped after 50 steps",
    ],
    [
      "how a script has failed",
      ["states: { CHECK: [{ exit: 3, errors: it is broken }] }"],
      "it is broken",
    ],
  ])("names %s", async (_, lines, words) => {
    const { test } = await scene(tested(...lines));

    const { code, out } = await test();

    expect(code).toBe(1);
    expect(out).toContain(words);
  });

  it("runs scripts without an entry with --run-scripts", async () => {
    const { test } = await scene(
      tested("states: { END: [{ reply: <result>yes</result> }] }", "expect: { result: yes }"),
    );

    expect(await test({ runScripts: true })).toMatchObject({ code: 0 });
  });

  it("checks the workers of a fork by id, and the payload of a join", async () => {
    const { test } = await scene({
      "fan/START.md": "Split.\n",
      "fan/WORK.md": "Do {{item}}.\n",
      "fan/MERGE.md": "All: {{result}}\n",
      "fan/a.test.yaml": [
        "tests:",
        "  two workers are joined:",
        "    states:",
        '      START: [{ reply: <fork item="a">WORK</fork><fork item="b">WORK</fork><join>MERGE</join> }]',
        "      WORK:",
        "        - { when: Do a, reply: <result>made a</result>, delay: 5m }",
        "        - { reply: '<result>made {{item}}</result>' }",
        "      MERGE: [{ reply: <result>merged</result> }]",
        "    expect:",
        "      path: [START, MERGE]",
        "      paths: { main_work1: [WORK], main_work2: [WORK] }",
        "      results: { main: merged, main_work1: made a, main_work2: made b }",
        "      steps: [{ state: WORK, agent: main_work2, session: fresh, contains: Do b }]",
        "",
      ].join("\n"),
    });

    const { code, out } = await test();

    expect(out).toContain("ok");
    expect(code).toBe(0);
  });

  it("answers several agents that ask in one state at the same time", async () => {
    const { test } = await scene({
      "ask/START.md": "Split.\n",
      "ask/ASK.md": "Ask about {{item}}.\n",
      "ask/NEXT.md": "{{result}}\n",
      "ask/a.test.yaml": [
        "tests:",
        "  two are asked:",
        "    states:",
        '      START: [{ reply: <fork item="a">ASK</fork><fork item="b">ASK</fork><result>0</result> }]',
        "      ASK:",
        "        - { when: about a, reply: '<ask next=\"NEXT\">A?</ask>', answer: one }",
        "        - { when: about b, reply: '<ask next=\"NEXT\">B?</ask>', answer: two }",
        "      NEXT: [{ reply: '<result>{{item}} {{input}}</result>', times: 2 }]",
        "    expect: { results: { main_ask1: a one, main_ask2: b two } }",
        "",
      ].join("\n"),
    });

    const { code, out } = await test();

    expect(out).toContain("ok");
    expect(code).toBe(0);
  });

  it("tests a folder without an entry, from the state that each test names", async () => {
    const { test } = await scene({
      "cases/A.md": "a\n",
      "cases/B.md": "b\n",
      "cases/x.test.yaml":
        "tests:\n  a: { start: A, states: { A: [{ reply: <result>1</result> }] } }\n  b: {}\n",
    });

    const { code, out } = await test();

    expect(code).toBe(1);
    expect(out).toContain("x.test.yaml:3:3: b");
    expect(out).toContain("START");
  });

  it("finds the tests next to a single-file workflow", async () => {
    const { test } = await scene({
      "flow.yaml": "states:\n  START: { prompt: Say something. }\n",
      "flow.yaml.test.yaml":
        "tests:\n  says it: { states: { START: [{ reply: <result>1</result> }] } }\n",
      "other.test.yaml": "tests: {}\n",
    });

    expect(await test({ paths: ["flow.yaml"] })).toMatchObject({ code: 0 });
  });

  it("does not treat test files as workflows", async () => {
    const { dir } = await scene({ "flow.yaml.test.yaml": "tests: {}\n" });

    await expect(openTestedWorkflow(`${dir}/flow.yaml.test.yaml`)).rejects.toMatchObject({
      code: "workflow/not-a-workflow",
    });
  });

  it("prints JSON with the same facts", async () => {
    const { dir, test } = await scene(tested("expect: { result: <yes> }"));

    const json = JSON.parse((await test({ json: true })).out) as object;
    const junit = (await test({ format: "junit" })).out;

    expect(json).toMatchObject({
      ok: false,
      passed: 0,
      failed: 1,
      tests: [
        {
          file: `${dir}/flow/flow.test.yaml`,
          line: 5,
          name: "it works",
          ok: false,
          status: "failed",
          cost_usd: 0.01,
        },
      ],
    });
    expect(junit).toContain('<testsuites tests="1" failures="1"');
    expect(junit).toContain('<testcase name="it works"');
    expect(junit).toContain("--run-scripts");
  });
});

describe("an invalid test file", () => {
  it.each([
    ["is no YAML", "tests: [", "flow.test.yaml:1:9"],
    ["has no tests", "input: x\n", 'the key "tests" is missing'],
    [
      "has a key that is none",
      "test: {}\n",
      '1:1: test: unknown key "test". Did you mean "tests"?',
    ],
    [
      "names a state that does not exist",
      "tests:\n  a:\n    states:\n      STRAT: []\n",
      '4:7: tests.a.states.STRAT: Unknown state "STRAT". Did you mean "START.md"?',
    ],
    [
      "expects a state that does not exist",
      "tests:\n  a:\n    expect:\n      path: [START,\n        CHEKC]\n",
      "5:9: tests.a.expect.path[1]: Unknown state",
    ],
    [
      "gives a script a reply",
      "tests:\n  a:\n    states:\n      CHECK: [{ reply: x }]\n",
      '4:17: tests.a.states.CHECK[0].reply: unknown key "reply"',
    ],
    [
      "misspells what it expects",
      "tests:\n  a:\n    expect: { reslut: x }\n",
      'unknown key "reslut". Did you mean "result"?',
    ],
    ["has a setting that is none", "settings: { buget: 1 }\ntests: { a: {} }\n", '"budget"'],
    [
      "has a setting that cannot be",
      "settings: { budget: 0 }\ntests: { a: {} }\n",
      "1:13: settings.budget: a number of dollars above 0",
    ],
    [
      "has an expression that is none",
      "tests:\n  a:\n    expect: { error: /(/ }\n",
      "3:15: tests.a.expect.error: this is no regular expression.",
    ],
    [
      "gives what is never reached",
      "tests:\n  a:\n    states:\n      START:\n        - { reply: a, times: always }\n        - { reply: b }\n",
      "6:11: tests.a.states.START[1]: nothing after",
    ],
  ])("is refused before any test if it %s", async (_, text, words) => {
    const { test } = await scene({ ...FLOW, "flow/flow.test.yaml": text });

    await expect(test()).rejects.toThrow(words);
  });

  it("reports a path without tests", async () => {
    const { test } = await scene(FLOW);

    await expect(test({ paths: ["flow"] })).rejects.toMatchObject({ code: "test/not-found" });
    await expect(test({ paths: ["flow/STRAT"] })).rejects.toMatchObject({
      code: "test/no-such-place",
    });
  });
});
