import { describe, expect, it } from "vitest";
import { FLOW, scene } from "./scene.ts";

const GIVEN = `# What the flow does.
input: the work   # said by hand
states:
  START: [{ reply: done, times: always }]
  CHECK: [{ output: <goto>END</goto> }]
  END: [{ reply: "<result>first\\nsecond</result>" }]

tests:
  # The long way.
  it checks:
    expect:
      path: [START, END] # too short
      result: first
      exit: 1
      steps: [{ state: START, contains: nothing }]

  it says nothing: {}

  nor does it: { start: END, vars: { a: 1 } }

  and it:
    start: END # at once
`;

describe("raymond test --update", () => {
  it("writes observed results, and keeps comments", async () => {
    const { read, test } = await scene({ ...FLOW, "flow/flow.test.yaml": GIVEN });

    const { code, err } = await test({ update: true });

    expect(err).toContain("Updated flow/flow.test.yaml.\n");
    expect(await read("flow/flow.test.yaml")).toBe(
      GIVEN.replace("path: [START, END] # too short", "path: [START, CHECK, END] # too short")
        .replace("result: first", "result: |-\n        first\n        second")
        .replace("exit: 1", "exit: 0")
        .replace(
          "it says nothing: {}",
          "it says nothing:\n    expect:\n      path: [START, CHECK, END]\n      result: |-\n        first\n        second\n      cost: 0.02",
        )
        .replace(
          "vars: { a: 1 } }",
          'vars: { a: 1 }, expect: { path: [END], result: "first\\nsecond", cost: 0.01 } }',
        )
        .replace(
          "# at once\n",
          "# at once\n    expect:\n      path: [END]\n      result: |-\n        first\n        second\n      cost: 0.01\n",
        ),
    );
    expect(code).toBe(1);
  });

  it("keeps a file without differences", async () => {
    const text =
      "tests:\n    odd:   {start: END, states: {END: [{reply: <result>1</result>}]}, expect: {result: '1'}}\n";
    const { read, test } = await scene({ ...FLOW, "flow/flow.test.yaml": text });

    expect(await test({ update: true })).toMatchObject({ code: 0 });
    expect(await read("flow/flow.test.yaml")).toBe(text);
  });
});
