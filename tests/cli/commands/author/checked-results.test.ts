import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { runCommandLine } from "../../../../src/cli/parse/tree.ts";
import { tempFolder } from "../../../support/folders.ts";
import { testShell } from "../../../support/test-shell.ts";

const PLAN = JSON.stringify({
  type: "object",
  required: ["items"],
  properties: {
    items: {
      type: "array",
      items: { type: "object", required: ["path"], properties: { path: {} } },
    },
  },
});

const rules = (...lines: readonly string[]) =>
  `---\nallowed_transitions:\n${lines.map((line) => `  - ${line}\n`).join("")}---\n`;

/** A call whose result has a schema, and a prompt that uses a field of it. */
const CALL = {
  "START.md": `${rules("{ tag: call, target: PLAN, return: DO, schema: plan.schema.json }")}Plan it.\n`,
  "PLAN.md": `${rules("{ tag: result }")}End with <result>the plan as JSON</result>\n`,
  "DO.md": `${rules("{ tag: result }")}\nFirst: {{result.items.0.path}}. End with <result>done</result>\n`,
  "plan.schema.json": PLAN,
};

const GOOD = '<result>{"items": [{"path": "a.ts"}]}</result>';
const BAD = '<result>{"items": [{"pth": "a.ts"}]}</result>';

async function project(files: Readonly<Record<string, string>>): Promise<string> {
  const cwd = await tempFolder();
  await mkdir(path.join(cwd, "flow"));
  for (const [name, text] of Object.entries(files)) {
    await writeFile(path.join(cwd, "flow", name), text);
  }
  return cwd;
}

async function raymond(cwd: string, ...words: readonly string[]) {
  const shell = testShell(cwd);
  const error: unknown = await runCommandLine(["node", "raymond", ...words], shell).catch(
    (reason: unknown) => reason,
  );
  const said = error instanceof Error ? error.message : "";
  return { code: shell.code(), said: `${shell.stdout()}${shell.stderr()}${said}` };
}

/** Runs a test of the workflow with these replies. */
async function tested(
  files: Readonly<Record<string, string>>,
  states: Readonly<Record<string, unknown>>,
  expected: Readonly<Record<string, unknown>>,
) {
  const test = { tests: { here: { states, expect: expected } } };
  const cwd = await project({ ...files, "flow.test.yaml": JSON.stringify(test) });
  const { code, said } = await raymond(cwd, "test", "flow");
  expect(said).toContain("1 test");
  return { code, said };
}

describe("a result with a schema", () => {
  it("returns if it matches, also in a code block, and has fields in the next prompt", async () => {
    const fenced = '<result>\n```json\n{"items": [{"path": "a.ts"}]}\n```\n</result>';
    const states = {
      START: [{ reply: "<call return='DO'>PLAN</call>" }],
      PLAN: [{ reply: fenced }],
      DO: [{ reply: "<result>done</result>" }],
    };
    const steps = [{ state: "DO", contains: "First: a.ts." }];

    const { said } = await tested(CALL, states, { result: "done", steps });

    expect(said).toContain("ok ");
  });

  it("is sent back to the called state with its faults, up to three times", async () => {
    const call = [{ reply: "<call return='DO'>PLAN</call>" }];
    const once = {
      START: call,
      PLAN: [{ reply: BAD }, { reply: GOOD }],
      DO: [{ reply: "<result/>" }],
    };
    const always = { START: call, PLAN: [{ reply: BAD, times: "always" }] };
    const reminded = 'JSON that matches plan.schema.json: /items/0 must have the key "path".';

    const good = await tested(CALL, once, {
      status: "completed",
      steps: [{ state: "PLAN", contains: reminded }],
    });
    const bad = await tested(CALL, always, {
      status: "failed",
      error: 'must have the key "path". Failed after 3 reminders',
    });

    expect(good.said).toContain("ok ");
    expect(bad.said).toContain("ok ");
  });

  it("is checked by the rule of its own state", async () => {
    const files = {
      "START.md": `${rules("{ tag: result, schema: plan.schema.json }")}End with <result>JSON</result>\n`,
      "plan.schema.json": PLAN,
    };
    const replies = [
      { reply: "<result>no</result>" },
      { reply: "<result>3</result>" },
      { reply: GOOD },
    ];

    const { said } = await tested(
      files,
      { START: replies },
      {
        result: '{"items": [{"path": "a.ts"}]}',
        steps: [
          { state: "START", contains: ["it is not JSON", "The result must be JSON that matches"] },
          { state: "START", contains: "the value must be object" },
        ],
      },
    );

    expect(said).toContain("ok ");
  });

  it("fails a script that is called, or that names the schema itself", async () => {
    const called = { ...CALL, "PLAN.sh": "true\n", "PLAN.md": undefined };
    const { "PLAN.md": _, ...files } = called;
    const own = {
      "START.sh": "# raymond: schema=plan.schema.json\ntrue\n",
      "plan.schema.json": PLAN,
    };
    const error =
      "The result must be JSON that matches plan.schema.json: the value must have the key";
    const start = [{ reply: "<call return='DO'>PLAN</call>" }];

    const one = await tested(
      files,
      { START: start, PLAN: [{ output: "<result>{}</result>" }] },
      { status: "failed", error },
    );
    const other = await tested(
      own,
      { START: [{ output: "<result>{}</result>" }] },
      { status: "failed", error },
    );

    expect(one.said).toContain("ok ");
    expect(other.said).toContain("ok ");
  });

  it("survives a gate between the call and the result", async () => {
    const files = {
      ...CALL,
      "CHECK.sh": "true\n",
      "START.md": `${rules("{ tag: call, target: PLAN, return: DO, verify: CHECK, schema: plan.schema.json }")}Plan.\n`,
    };
    const states = {
      START: [{ reply: "<call return='DO'>PLAN</call>" }],
      CHECK: [{ exit: 0 }],
      PLAN: [{ reply: BAD }, { reply: GOOD }],
      DO: [{ reply: "<result/>" }],
    };

    const { said } = await tested(files, states, { path: ["START", "PLAN", "DO"] });

    expect(said).toContain("ok ");
  });
});

describe("a fork with a schema", () => {
  const FORK = {
    "START.md": `${rules("{ tag: fork, target: WORK, next: END, schema: item.schema.json }")}Split it.\n`,
    "WORK.md": `${rules("{ tag: result }")}Do {{input.path}}. End with <result>ok</result>\n`,
    "END.md": "End with <result>all</result>\n",
    "item.schema.json": JSON.stringify({
      type: "object",
      required: ["path"],
      properties: { path: {} },
    }),
  };

  it("checks the input of the worker", async () => {
    const states = {
      START: [
        { reply: "<fork next='END'>WORK</fork>" },
        { reply: `<fork next='END' input='{"path": "b.ts"}'>WORK</fork>` },
      ],
      WORK: [{ reply: "<result>ok</result>" }],
      END: [{ reply: "<result>all</result>" }],
    };

    const { said } = await tested(FORK, states, {
      result: "all",
      steps: [
        {
          state: "START",
          contains: ["The input of <fork> must be JSON", "it is missing", 'input="JSON"'],
        },
        { state: "WORK", contains: "Do b.ts." },
      ],
    });

    expect(said).toContain("ok ");
  });

  it("keeps an attribute of the name schema, with another value", async () => {
    const files = { ...FORK, "START.md": FORK["START.md"].replace("item.schema.json", '""') };
    const states = {
      START: [{ reply: "<fork next='END' schema='public'>WORK</fork>" }],
      WORK: [{ reply: "<result>ok</result>" }],
      END: [{ reply: "<result>all</result>" }],
    };

    const { said } = await tested(
      { ...files, "WORK.md": "In {{schema}}: <result>ok</result>" },
      states,
      {
        steps: [{ state: "WORK", contains: "In public:" }],
      },
    );

    expect(said).toContain("ok ");
  });
});

describe("a field of a payload", () => {
  const START = `${rules("{ tag: result }")}\nDo {{input.items.0.path}} of {{input.items}}.\n`;

  it.each([
    [
      '{"items": []}',
      'flow/START.md:6:1: {{input.items.0.path}} has no value. There is no "0" in items, an array of 0 elements.',
    ],
    ['{"itms": [1]}', 'There is no "items" in the payload. Its keys: itms.'],
    ['{"items": ["x"]}', 'There is no "path" in items.0, which is a string.'],
    ["hello", 'The payload is not JSON: "hello".'],
    ['{"items": {"constructor": 1}}', 'There is no "0" in items. Its keys: constructor.'],
  ])("that does not exist is an error with its line: %s", async (input, problem) => {
    const cwd = await project({ "START.md": START, "a.sim.yaml": "states: {}" });

    const { said } = await raymond(cwd, "flow", "--simulate", "--input", input);

    expect(said).toContain(problem);
  });

  it("fails the step that needs it, before the prompt is sent", async () => {
    const files = {
      ...CALL,
      "START.md": CALL["START.md"].replace(", schema: plan.schema.json", ""),
    };
    const states = {
      START: [{ reply: "<call return='DO'>PLAN</call>" }],
      PLAN: [{ reply: BAD }],
    };

    const { said } = await tested(files, states, {
      status: "failed",
      error:
        'DO.md:6:1: {{result.items.0.path}} has no value. There is no "path" in items.0. Its keys: pth.',
    });

    expect(said).toContain("ok ");
  });
});

describe("a schema file", () => {
  it("is checked before a run starts", async () => {
    const { "plan.schema.json": _, ...files } = CALL;
    const missing = await raymond(await project(files), "flow", "--simulate");
    const invalid = await raymond(
      await project({ ...CALL, "plan.schema.json": '{\n "typ": 1 }', "a.sim.yaml": "states: {}" }),
      ...["flow", "--simulate"],
    );

    expect(missing.said).toMatch(/flow\/START\.md:3:5: Schema "plan\.schema\.json" not found/);
    expect(invalid.said).toMatch(/plan\.schema\.json:2:2: Invalid schema: unknown keyword: "typ"/);
  });

  it("is part of a workflow in one file, and of its conversion", async () => {
    const cwd = await project(CALL);
    const test = {
      tests: {
        here: {
          states: {
            START: [{ reply: "<call return='DO'>PLAN</call>" }],
            PLAN: [{ reply: BAD }, { reply: GOOD }],
            DO: [{ reply: "<result>done</result>" }],
          },
          expect: { result: "done" },
        },
      },
    };
    await writeFile(path.join(cwd, "one.yaml.test.yaml"), JSON.stringify(test));

    await raymond(cwd, "convert", "flow", "-o", "one.yaml");
    const { said } = await raymond(cwd, "test", "one.yaml");
    await raymond(cwd, "convert", "one.yaml", "-o", "again");

    expect(said).toContain("1 test");
    expect(said).toContain("ok ");
    expect(await readFile(path.join(cwd, "again", "plan.schema.json"), "utf8")).toBe(PLAN);
  });

  it("is packed, and checked in the zip", async () => {
    const cwd = await project(CALL);
    const packed = await raymond(cwd, "pack", "flow", "--output", "flow.zip");
    const test = {
      tests: {
        here: {
          states: {
            START: [{ reply: "<call return='DO'>PLAN</call>" }],
            PLAN: [{ reply: BAD }, { reply: GOOD }],
            DO: [{ reply: "<result>done</result>" }],
          },
          expect: { result: "done" },
        },
      },
    };
    await writeFile(path.join(cwd, "flow.zip.test.yaml"), JSON.stringify(test));

    const { said } = await raymond(cwd, "test", "flow.zip");

    expect(packed.said).toContain("flow.zip");
    expect(said).toContain("ok ");
  });

  it("is shown by explain", async () => {
    const { said } = await raymond(await project(CALL), "explain", "flow");

    expect(said).toContain("the returned result must match plan.schema.json");
  });
});
