import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { filesOf, singleFileOf } from "../../../../src/language/workflow/convert.ts";
import type { InvalidFileError } from "../../../../src/language/workflow/errors.ts";
import { parseStateFile } from "../../../../src/language/workflow/files/parse-state-file.ts";
import { parseSingleFile } from "../../../../src/language/workflow/files/single-file.ts";
import type { StateFile } from "../../../../src/language/workflow/files/state-file.ts";
import { propertyRuns } from "../../../support/property-runs.ts";

const FLOW = `name: Demo
states:
  START:
    # On to the build.
    allowed_transitions:
      - { tag: goto, target: BUILD }
    model: opus
    prompt: |

      Plan it.
      {{item}}
  BUILD:
    retries: 2
    on_error: START
    sh: |
      #!/bin/bash
      make
    bat: |
      @echo off
      make
  DONE:
    prompt: Say so.
`;

const parse = (text: string) => parseSingleFile(text, "/w/flow.yaml");

function failure(text: string): Pick<InvalidFileError, "code" | "line" | "message" | "hint"> {
  try {
    parse(text);
  } catch (error) {
    return error as InvalidFileError;
  }
  throw new Error("nothing was thrown");
}

describe("parseSingleFile", () => {
  it("reads the states as a folder would list them, with their places in the one file", () => {
    const { states, manifest } = parse(FLOW);

    expect([...states.keys()]).toEqual(["BUILD.bat", "BUILD.sh", "DONE.md", "START.md"]);
    expect(states.get("START.md")?.file).toMatchObject({
      kind: "prompt",
      name: "START.md",
      rules: [{ tag: "goto", target: "BUILD", at: { line: 6, column: 9 } }],
      model: "opus",
      body: "Plan it.\n{{item}}\n",
      ...{ bodyLine: 10, bodyColumn: 7 },
    });
    expect(states.get("DONE.md")?.file).toMatchObject({ body: "Say so.", bodyLine: 22 });
    expect(states.get("BUILD.sh")?.file).toMatchObject({
      kind: "script",
      retries: 2,
      onError: { target: "START", at: { line: 14, column: 15 } },
    });
    expect(manifest.name).toBe("Demo");
  });

  it("reads the directive comment of a script with its position", () => {
    const text = "states:\n  A:\n    sh: |\n      #!/bin/bash\n      # raymond: on_error=B\n";

    expect(parse(text).states.get("A.sh")?.file).toMatchObject({
      onError: { target: "B", at: { line: 5, column: 18 } },
    });
  });

  it("warns about unknown keys with their lines", () => {
    const { states, manifest } = parse(
      "nam: x\nstates:\n  A:\n    prompt: x\n    modle: opus\n  B:\n    sh: x\n    model: y\n",
    );
    const warnings = [...states.values()].flatMap(({ file }) => file.warnings);

    expect([...warnings, ...manifest.warnings]).toEqual([
      { line: 5, message: expect.stringContaining("Did you mean model?") as string },
      { line: 8, message: expect.stringContaining('Unknown key "model"') as string },
      { line: 1, message: expect.stringContaining("Did you mean name?") as string },
    ]);
  });

  it.each([
    ["states:\n  A:\n    prompt: x\n    sh: y\n", 4, /"A" has both prompt and sh/],
    ["states:\n  A:\n    prompt: x\n  A:\n    prompt: y\n", 4, /Duplicate key "A"/],
    ["states:\n  A:\n    prompt: x\n  a:\n    sh: y\n", 4, /same file on macOS and Windows/],
    ["states:\n\tA: x\n", 2, /Tabs are not allowed/],
    ["states:\n  A:\n    promt: x\n", 2, /has no prompt, sh, bat or ps1/],
    ["states:\n  A: x\n", 2, /must be a mapping/],
    ["states:\n  A.md:\n    prompt: x\n", 2, /has an extension/],
    ["states:\n  a/b:\n    prompt: x\n", 2, /contains a path/],
    ["states: {}\n", 1, /states is empty/],
    ["states:\n", 1, /must be a mapping/],
    ["name: x\n", 1, /key states is missing/],
    ["", 1, /key states is missing/],
    ["states:\n  A:\n    prompt:\n", 3, /prompt is empty/],
    ["states:\n  A:\n    prompt: [x]\n", 3, /prompt must be a string/],
    ["states:\n  A:\n    prompt: x\n    effort: hgh\n", 4, /Unknown effort "hgh"/],
    ["states:\n  A:\n    sh: x\n    timeout: soon\n", 4, /timeout cannot be "soon"/],
    ["states:\n  A:\n    sh: |\n      # raymond: retries=x\n", 4, /retries cannot be "x"/],
    [
      "states:\n  A:\n    retries: 2\n    sh: |\n      # raymond: retries=3\n",
      5,
      /both a directive comment and/,
    ],
    ["states:\n  A: {prompt: x}\n---\nb: 1\n", 3, /second document/],
  ])("refuses %j, with its line", (text, line, message) => {
    expect(failure(text)).toMatchObject({
      line,
      message: expect.stringMatching(message) as string,
      hint: expect.any(String) as string,
    });
  });

  it.each([
    ["notify: x", 1],
    ["name: y\ndangerously_skip_permissions: true", 2],
    ["allowed_tools: [Bash]", 1],
    ["state_dir: /tmp", 1],
  ])("rejects %j in a workflow", (keys, line) => {
    expect(failure(`${keys}\nstates:\n  A: {prompt: x}\n`)).toMatchObject({
      code: "lint/RAY102",
      line,
      message: expect.stringContaining("A workflow cannot set") as string,
    });
  });
});

describe("the keys of a workflow", () => {
  const said = (keys: string) => parse(`${keys}\nstates:\n  A: {prompt: x}\n`).manifest;

  it("are its name, inputs and defaults", () => {
    const manifest = said(`description: Builds.
input: { description: what, required: true }
vars:
  size: { options: [small, 2], default: small, description: how large }
  who: { required: true }
  any:
budget: 2.50
model: opus
effort: low
max_parallel: 3
tools: [Read]`);

    expect(manifest).toMatchObject({
      description: "Builds.",
      input: { description: "what", required: true },
      vars: [
        { name: "size", options: ["small", "2"], default: "small", required: false },
        { name: "who", options: null, default: null, required: true },
        { name: "any", required: false },
      ],
      defaults: {
        budget: 2_500_000,
        model: "opus",
        effort: "low",
        max_parallel: 3,
        tools: ["Read"],
      },
    });
  });

  it.each([
    ["budget: none", /budget must be/],
    ["max_parallel: 0", /max_parallel must be/],
    ["input: x", /input must be a mapping/],
    ["input: { needed: true }", /Unknown key "needed" of input/],
    ["input: { required: yes please }", /required must be true or false/],
    ["vars: { PATH: {} }", /"PATH" is a reserved name/],
    ["vars: { a: { defalt: 1 } }", /Unknown key "defalt" of variable "a"/],
    ["vars: { a: { options: [] } }", /non-empty list/],
    ["vars: { a: { options: [x, x] } }", /Duplicate option "x"/],
    [
      "vars: { a: { options: [x], default: y } }",
      /The default of a cannot be "y"\. Allowed values: x/,
    ],
    ["vars: { a: { required: true, default: y } }", /required but has a default/],
  ])("cannot be %j", (keys, message) => {
    expect(failure(`${keys}\nstates:\n  A: {prompt: x}\n`).message).toMatch(message);
  });
});

describe("a folder as one file, and back", () => {
  /** All that a state does, wherever it stands and whatever ends its lines. */
  const meaning = (file: StateFile) =>
    JSON.parse(
      JSON.stringify(
        { ...file, body: file.body.replaceAll("\r\n", "\n") },
        (key, value: unknown) =>
          ["at", "bodyLine", "bodyColumn", "line", "warnings"].includes(key) ? undefined : value,
      ),
    ) as unknown;

  it("keeps comments, and prints settings of a script as its directive", () => {
    const files = filesOf(parse(FLOW), FLOW);

    expect(files.get("START.md")).toBe(
      "---\n# On to the build.\nallowed_transitions:\n  - { tag: goto, target: BUILD }\nmodel: opus\n---\n\nPlan it.\n{{item}}\n",
    );
    expect(files.get("BUILD.sh")).toBe("#!/bin/bash\n# raymond: retries=2 on_error=START\nmake\n");
    expect(files.get("BUILD.bat")).toBe(
      "@echo off\r\nREM raymond: retries=2 on_error=START\r\nmake\r\n",
    );
    expect(files.get("workflow.yaml")).toBe("name: Demo\n");
  });

  it("writes aliases out, for each state has a file of its own then", () => {
    const text = `states:
  A: { allowed_transitions: &all [{ tag: result }], prompt: x }
  B: { allowed_transitions: *all, prompt: y }
`;

    expect(filesOf(parse(text), text).get("B.md")).toBe(
      "---\nallowed_transitions:\n  - tag: result\n---\ny",
    );
  });

  it("keeps a line of dashes below an empty block as text", () => {
    const files = new Map([["START.md", "---\n---\n{{x}}\n---"]]);

    const one = singleFileOf(files, null);

    expect(parse(one).states.get("START.md")?.text).toBe("{{x}}\n---");
  });

  it("rejects a name of both a prompt and a script", () => {
    const files = new Map([
      ["A.md", "x"],
      ["A.sh", "y"],
    ]);

    expect(() => singleFileOf(files, null)).toThrow(/"A" is both a prompt and a script/);
  });

  const anyText = fc
    .array(
      fc.constantFrom("a", " ", "\n", "\t", "#", ":", "- x", "---", "{{x}}", '"', "'", "é", "\\n"),
      { maxLength: 12 },
    )
    .map((pieces) => pieces.join(""));
  const anyHead = fc.constantFrom(
    "",
    "---\nmodel: opus\n---\n",
    "---\n# why\ntools: [Read]\nmax_visits: 3 # often\n---\n",
    "---\n---\n",
    "---\nallowed_transitions: [{ tag: result, payload: 'a: b' }]\n---\n",
  );
  const anyDirective = fc.constantFrom("", "#!/bin/bash\n", "# raymond: retries=2\n");
  const anyFiles = fc
    .record({
      head: anyHead,
      body: anyText,
      directive: anyDirective,
      script: anyText,
      both: fc.boolean(),
    })
    .map(({ head, body, directive, script, both }) => {
      const text = head + (head === "" && body.startsWith("---") ? `x${body}` : body);
      const files = [
        ["START.md", text],
        ["B two.sh", directive + script],
      ] as const;
      return new Map<string, string>(both ? [...files, ["B two.bat", script]] : files);
    });

  it("round-trips any states", () => {
    fc.assert(
      fc.property(anyFiles, (files) => {
        const one = singleFileOf(files, "name: n\n");
        const single = parse(one);
        const back = filesOf(single, one);

        expect([...back.keys()].sort()).toEqual([...files.keys(), "workflow.yaml"].sort());
        for (const [name, text] of files) {
          const original = meaning(parseStateFile(name, text));
          const state = single.states.get(name);
          expect(state && meaning(state.file)).toEqual(original);
          expect(meaning(parseStateFile(name, back.get(name) ?? ""))).toEqual(original);
          if (name.endsWith(".sh")) expect(back.get(name)).toBe(text);
        }
      }),
      { numRuns: propertyRuns(500) },
    );
  });
});
