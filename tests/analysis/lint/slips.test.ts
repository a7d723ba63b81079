import { describe, expect, it } from "vitest";
import { lintWorkflow } from "../../../src/analysis/lint/lint-workflow.ts";
import { foreignInterpreter } from "../../../src/language/workflow/files/shebang.ts";
import { type Files, lintFacts } from "../../support/workflow/lint-facts.ts";

function found(files: Files): readonly string[] {
  return lintWorkflow(lintFacts(files)).map(({ rule, message }) => `${rule} ${message}`);
}

const END = { "B.md": "End with <result>x</result>" };

describe("a misspelled tag", () => {
  it.each([
    ["<gotto>B</gotto>", "<goto>B</goto>"],
    ["<Goto>B</Goto>", "<goto>B</goto>"],
    ["<goto>B</Goto>", "<goto>B</goto>"],
    ["<goto>B<goto>", "<goto>B</goto>"],
    ["<rest>B</rest>", "<reset>B</reset>"],
    ["<Result>done</Result>", "<result>done</result>"],
    ["<reslut>done</reslut>", "<result>done</result>"],
    ['<frok next="B">B</frok>', "<fork>B</fork>"],
  ])("is the only finding: %s", (written, meant) => {
    const other = written.includes(">B<") ? END : {};
    const findings = found({ ...other, "START.md": `Do it, then end with ${written}` });

    expect(findings).toHaveLength(1);
    expect(findings[0]).toContain(`RAY207 Unknown tag "${written}". Did you mean ${meant}?`);
  });

  it.each([
    ["<gotto>NOPE</gotto>", "<goto>NOPE</goto>"],
    ["<gooto>NEXTT</gooto>", "<goto>NEXT</goto>"],
    ["<resset>NEXT_STEP.md</resset>", "<reset>NEXT_STEP.md</reset>"],
    ['<frok next="NEXT">WORK_2</frok>', "<fork>WORK_2</fork>"],
    ["<joni>GONE</joni>", "<join>GONE</join>"],
  ])("is found if its state does not exist: %s", (written, meant) => {
    const findings = found({ "NEXT.md": END["B.md"], "START.md": `End with ${written}` });

    expect(findings).toContainEqual(`RAY207 Unknown tag "${written}". Did you mean ${meant}?`);
  });

  it.each([
    "<task>write</task>",
    "<cell>A1</cell>",
    "<form>NAME</form>",
    "<goal>ship it</goal>",
    "<results>x</results>",
    "Promise<Result>x</Result>",
    "<form>x</form>",
  ])("is not suspected in %s", (written) => {
    expect(found({ "START.md": `Read ${written}. End with <result>x</result>` })).toEqual([]);
  });
});

describe("one fault", () => {
  it.each([
    ["a malformed fork", { ...END, "START.sh": 'echo "<fork item=x>B</fork>"' }, "RAY206"],
    [
      "an unescaped quote",
      { ...END, "START.md": 'End: <goto input="say "hi"">B</goto>' },
      "RAY206",
    ],
    ["typographic quotes", { ...END, "START.md": "End: <goto input=“x”>B</goto>" }, "RAY206"],
    ["an empty script", { "START.sh": "" }, "RAY103"],
    [
      "a script for python",
      { "START.sh": '#!/usr/bin/python3\nprint("<result>x</result>")' },
      "RAY705",
    ],
    [
      "a value with a blank",
      { "START.sh": "# raymond: timeout=5 minutes\necho '<result>x</result>'" },
      "RAY102",
    ],
    ["a script in UTF-16", { "START.sh": "\uFFFD\uFFFDe\0c\0h\0o\0" }, "RAY703"],
    [
      "blank lines before ---",
      { "START.md": "\n\n---\nmodel: opus\n---\n<result>x</result>" },
      "RAY102",
    ],
  ] as const)("is one finding: %s", (_, files, rule) => {
    expect(found(files).map((one) => one.slice(0, 6))).toEqual([rule]);
  });

  it("is each bad key of a front matter, and each bad rule", () => {
    const head =
      "effort: hihg\ntimeout: soon\nallowed_transitions:\n  - { tag: gto }\n  - { tag: call, retrun: A }";

    expect(
      found({ "START.md": `---\n${head}\n---\nDo it.` }).map((one) => one.slice(0, 6)),
    ).toEqual([...["RAY102", "RAY102", "RAY102", "RAY102"]]);
  });
});

describe("a file that looks like a state", () => {
  it("is reported at the tag that names it, or else separately", () => {
    const facts = lintFacts({ "START.md": "End with <goto>B</goto>" });
    const nearStates = [
      { name: "B.MD", why: "case" },
      { name: "C.sh", why: "broken-link" },
    ] as const;

    const findings = lintWorkflow({ ...facts, lookalikes: nearStates }).map(
      ({ rule, message }) => `${rule} ${message}`,
    );
    expect(findings).toEqual([
      'RAY201 Unknown target "B" of <goto>: "B.MD" is ignored: its extension is not lowercase.',
      'RAY110 "C.sh" is ignored: it is a link to a missing file.',
    ]);
  });
});

describe("foreignInterpreter", () => {
  it.each([
    ["#!/usr/bin/env python3\n", "python3"],
    ["#! /usr/bin/node --no-warnings\n", "node"],
    ["#!/usr/bin/env -S FOO=1 deno run\n", "deno"],
    ["#!/bin/bash -e\n", null],
    ["#!/usr/bin/env bash\n", null],
    ["#!/bin/sh\n", null],
    ["#!/bin/zsh\n", null],
    ["#!\n", null],
    ["echo hi\n", null],
  ])("of %j is %j", (text, program) => {
    expect(foreignInterpreter(text)).toBe(program);
  });
});
