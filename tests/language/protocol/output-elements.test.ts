import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readTransitions } from "../../../src/language/protocol/output-elements.ts";
import { readReply } from "../../../src/language/protocol/reply.ts";
import { propertyRuns } from "../../support/property-runs.ts";
import { anyTagSoup } from "./scan/plain-grammar.ts";

const parse = (text: string) => readTransitions(readReply(text));

function faultOf(text: string): string {
  const parsed = parse(text);
  return parsed.ok ? "none" : `${parsed.fault.code}: ${parsed.fault.message}`;
}

describe("readTransitions", () => {
  it.each([
    ["<goto> A.md\n</goto>", { tag: "goto", target: "A.md" }],
    ["<goto>STEP.1</goto>", { tag: "goto", target: "STEP.1" }],
    ["<reset>A</reset>", { tag: "reset", target: "A" }],
    ['<reset cd="../x">A</reset>', { tag: "reset", target: "A", cd: "../x" }],
    ['<call return="R">C</call>', { tag: "call", target: "C", returnTo: "R" }],
    ['<function return="R">C</function>', { tag: "function", target: "C", returnTo: "R" }],
    ['<fork next="N">W</fork>', { tag: "fork", target: "W", next: "N", attributes: {} }],
    [
      '<fork item="i 1" next="N" cd="/w" Mode="">W</fork>',
      { tag: "fork", target: "W", next: "N", cd: "/w", attributes: { item: "i 1", Mode: "" } },
    ],
    ["<result/>", { tag: "result", payload: "" }],
    ["<result>done</result>", { tag: "result", payload: "done" }],
  ])("reads %j", (text, transition) => {
    expect(parse(text)).toEqual({ ok: true, transitions: [transition] });
  });

  it.each([
    ["", "no-tag: No transition tag found."],
    ["<goto>A", "unclosed-tag: The tag <goto> is never closed."],
    [
      "<goto>A</goto><reset>B</reset>",
      "several-tags: Found 2 transition tags (<goto>A</goto>, <reset>B</reset>). Exactly one is allowed.",
    ],
    [
      "<goto>A</goto>".repeat(5),
      "several-tags: Found 5 transition tags (<goto>A</goto>, <goto>A</goto>, <goto>A</goto>, and 2 more). Exactly one is allowed.",
    ],
    ["<goto/>", "malformed-tag: The target of <goto> is empty."],
    ["<goto> \n </goto>", "malformed-tag: The target of <goto> is empty."],
    [
      "<goto>a/b</goto>",
      'malformed-tag: The target of <goto> must be the name of a state without folders, not "a/b".',
    ],
    [
      "<reset>a\\b</reset>",
      'malformed-tag: The target of <reset> must be the name of a state without folders, not "a\\b".',
    ],
    [
      '<call return="..">C</call>',
      'malformed-tag: The return attribute of <call> must be the name of a state without folders, not "..".',
    ],
    [
      '<fork next=".">C</fork>',
      'malformed-tag: The next attribute of <fork> must be the name of a state without folders, not ".".',
    ],
    [
      "<goto>a\0b</goto>",
      'malformed-tag: The target of <goto> must be the name of a state without folders, not "a b".',
    ],
    ["<call>C</call>", "malformed-tag: <call> requires the attribute return."],
    ["<function>C</function>", "malformed-tag: <function> requires the attribute return."],
    ['<call return="">C</call>', "malformed-tag: The return attribute of <call> is empty."],
    [
      "<fork a='1'>W</fork>",
      "malformed-tag: <fork> requires the attribute next, or another tag for the next state of the agent.",
    ],
    ['<goto cd="/">A</goto>', "malformed-tag: Unknown attribute cd of <goto>."],
    ['<call return="R" cd="/">A</call>', "malformed-tag: Unknown attribute cd of <call>."],
    ['<result a="1">A</result>', "malformed-tag: Unknown attribute a of <result>."],
    ["<reset cd='a' cd='a'>A</reset>", "malformed-tag: <reset> has a duplicate attribute cd."],
    ["<goto foo>A</goto>", "malformed-tag: <goto> is malformed: the attribute foo has no value."],
    [
      "<fork next='N' x='\0'>W</fork>",
      "malformed-tag: Invalid attribute x of <fork>: the value of an attribute must not contain a NUL character.",
    ],
    [
      "<fork next='N' Path='x'>W</fork>",
      'malformed-tag: "Path" is a reserved name: as an environment variable it could change what a script executes. Use another name, such as my_Path.',
    ],
    [
      "<fork next='N' return='x'>W</fork>",
      'malformed-tag: "return" is not a valid attribute name: the protocol reserves this word.',
    ],
  ])("rejects %j with a reason", (text, fault) => {
    expect(faultOf(text)).toBe(fault);
  });

  it.each([
    ['<fork next="N">A</fork>\n<fork next="N">B</fork>', ["fork", "fork"]],
    ["<fork>A</fork> and <fork>B</fork> then <goto>N</goto>", ["fork", "fork", "goto"]],
    ['<goto>N</goto><fork next="N">A</fork>', ["goto", "fork"]],
    ["<fork>A</fork><result>all started</result>", ["fork", "result"]],
    ['<fork next="N">A</fork><fork>B</fork>', ["fork", "fork"]],
    ['<call return="R">C</call><fork>A</fork>', ["call", "fork"]],
  ])("reads the row %j in its order", (text, tags) => {
    const parsed = parse(text);

    expect(parsed.ok && parsed.transitions.map(({ tag }) => tag)).toEqual(tags);
  });

  it.each([
    [
      "<fork>A</fork><fork>B</fork>",
      /^malformed-tag: <fork> requires the attribute next, or another tag/,
    ],
    [
      '<fork next="N">A</fork><fork next="M">B</fork>',
      /^malformed-tag: .* must be the same, but found "N" and "M"/,
    ],
    [
      '<fork next="N">A</fork><goto>M</goto>',
      /^malformed-tag: The next state is given twice, by next="N" and by <goto>/,
    ],
    ['<fork next="N">A</fork><result/>', /^malformed-tag: The next state is given twice/],
    [
      "<fork>A</fork><goto>M</goto><goto>M</goto>",
      /^several-tags: Found 2 tags that continue the agent \(<goto>M<\/goto>, <goto>M<\/goto>\)/,
    ],
    [
      '<fork>a/b</fork><fork PATH="1">B</fork><fork>C</fork><goto>M</goto>',
      /^malformed-tag: Tag 1 of 4, <fork>a\/b<\/fork>: .* without folders.* Tag 2 of 4, .*"PATH" is a reserved name/,
    ],
    [`${"<fork>a/b</fork>".repeat(3)}<result/>`, /Tag 1 of 4, <fork>a\/b<\/fork> and 2 more: /],
    [
      `${"<fork>A</fork>".repeat(1001)}<goto>M</goto>`,
      /^malformed-tag: The reply starts 1,001 agents\. One reply may start 1,000/,
    ],
    ['<ask next="B"> \n </ask>', /^malformed-tag: The question of <ask> is empty/],
    ["<ask>Ship it?</ask>", /^malformed-tag: <ask> requires the attribute next/],
    [
      '<ask next="B" options="yes|">?</ask>',
      /options attribute of <ask> must be non-empty choices .*"yes\|"/,
    ],
    ['<ask next="B" options="yes|no| YES">?</ask>', /contains "YES" twice/],
    ['<ask next="B" timeout="1h">?</ask>', /has timeout but no timeout_next/],
    [
      '<ask next="B" timeout="0" timeout_next="C">?</ask>',
      /timeout attribute of <ask> must be a dur/,
    ],
    ["<fork>A</fork>".repeat(5000), /^malformed-tag: The reply starts 5,000 agents\. /],
  ])("rejects the tags %j with a reason", (text, fault) => {
    expect(faultOf(text)).toMatch(fault);
  });

  it("reads a row of 1,000 forks, and refuses tags that are too long together", () => {
    const most = parse(`${"<fork>A</fork>".repeat(1000)}<goto>M</goto>`);
    const long = `<fork input="${"x".repeat(9 * 1024 * 1024)}">A</fork>`;

    expect(most.ok && most.transitions.length).toBe(1001);
    expect(faultOf(`${long}<goto>M</goto>`)).toBe("none");
    expect(faultOf(`${long}${long}<goto>M</goto>`)).toMatch(/^payload-too-large: .*in total/);
  });

  it("refuses a value of more than 64 KiB", () => {
    const tag = (size: number) => `<fork next="N" a="${"x".repeat(size)}">W</fork>`;

    expect(parse(tag(65_536)).ok).toBe(true);
    expect(faultOf(tag(65_537))).toContain("exceed 64 KiB");
  });

  it.each([
    [null, "A transition tag exceeds 16 MiB."],
    ["result", "The tag <result> is not closed within 16 MiB."],
  ] as const)("rejects oversized output", (unclosed, message) => {
    const parsed = readTransitions({ elements: [], count: 0, unclosed, oversized: true });

    expect(parsed).toEqual({ ok: false, fault: { code: "payload-too-large", message } });
  });

  it("keeps an attribute named like a part of every object", () => {
    const parsed = parse('<fork next="N" __proto__="p" constructor="c">W</fork>');
    const [only] = parsed.ok ? parsed.transitions : [];
    const attributes = only?.tag === "fork" ? only.attributes : {};

    expect(Object.entries(attributes)).toEqual([
      ["__proto__", "p"],
      ["constructor", "c"],
    ]);
  });

  it("reports faults of any text in one short line", () => {
    const long = fc.constant("y".repeat(5000));
    fc.assert(
      fc.property(anyTagSoup, long, (soup, filler) => {
        const fault = faultOf(`${soup}${filler}</goto>${soup}\u001B[31m`);

        expect(fault.length).toBeLessThan(500);
        expect(fault).not.toMatch(/[\p{Cc}]/u);
      }),
      { numRuns: propertyRuns(500) },
    );
  });

  it.each([
    [`<goto>${"x".repeat(9000)}/</goto>`],
    [`<goto ${"x".repeat(9000)}="1">A</goto>`],
    [`<fork next="N" path_${"é".repeat(9000)}="1">A</fork>`],
    [`<result>${"x\n".repeat(9000)}</result>`.repeat(2)],
    [`<call return="${"r".repeat(9000)}">A</call>`.repeat(9)],
  ])("shortens quotes", (text) => {
    expect(faultOf(text).length).toBeLessThan(500);
  });
});
