import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  MAX_PAYLOAD_CHARS,
  type ScanResult,
} from "../../../../src/language/protocol/scan/element.ts";
import { OutputScanner } from "../../../../src/language/protocol/scan/scan.ts";
import { propertyRuns } from "../../../support/property-runs.ts";
import { anyTagSoup, cutAnywhere, plainReading } from "./plain-grammar.ts";

function scan(...pieces: readonly string[]): ScanResult {
  const scanner = new OutputScanner();
  for (const piece of pieces) scanner.push(piece);
  return scanner.end();
}

const nothing: ScanResult = { elements: [], count: 0, unclosed: null, oversized: false };

function one(tag: string, content: string, ...attributes: [string, string][]) {
  return { elements: [{ tag, attributes, content }], count: 1, unclosed: null, oversized: false };
}

describe("OutputScanner", () => {
  it.each([
    ["<goto>A.md</goto>", one("goto", "A.md")],
    ["text before\n<goto> A </goto> and after", one("goto", " A ")],
    ['<call return="R">C</call>', one("call", "C", ["return", "R"])],
    ["<call\n\treturn = 'R'\r\n>C</call>", one("call", "C", ["return", "R"])],
    ['<fork next="N" a="x > y">W</fork>', one("fork", "W", ["next", "N"], ["a", "x > y"])],
    [
      `<fork next="N" a="'" b='"'>W</fork>`,
      one("fork", "W", ["next", "N"], ["a", "'"], ["b", '"']),
    ],
    ['<fork a="<goto>A</goto>">W</fork>', one("fork", "W", ["a", "<goto>A</goto>"])],
    ['<goto a="1" a="2">A</goto>', one("goto", "A", ["a", "1"], ["a", "2"])],
    ["<goto></goto>", one("goto", "")],
    ["<goto/>", one("goto", "")],
    ["<result/>", one("result", "")],
    ["<result />", one("result", "")],
    ['<reset cd="/"/>', one("reset", "", ["cd", "/"])],
    [
      "<result><b>bold</b> & <goto>A</goto></result>",
      one("result", "<b>bold</b> & <goto>A</goto>"),
    ],
    ["<result>a<result>b</result>", one("result", "a<result>b")],
    ["<goto>A</goto></goto>", one("goto", "A")],
  ])("reads %j as one element", (text, reading) => {
    expect(scan(text)).toEqual(reading);
  });

  it.each([
    ["", null],
    ["<gotox>A</gotox>", null],
    ["<goto-x>A</goto-x>", null],
    ["<GOTO>A</GOTO>", null],
    ["< goto>A</goto>", null],
    ["<goto/ >A", null],
    ["</goto>", null],
    ["<goto", null],
    ["<goto <b>A</goto>", null],
    ['<goto a="1>A</goto>', null],
    ["<goto>A", "goto"],
    ["<goto>A</goto >", "goto"],
    ["<goto>A</reset>", "goto"],
    ["<goto>A<b></b></goto>", "goto"],
    ["<goto>A</Goto><result>x", "goto"],
    ["<result>x</ result>", "result"],
  ])("finds no element in %j", (text, unclosed) => {
    expect(scan(text)).toEqual({ ...nothing, unclosed });
  });

  it.each([
    ["use the <goto> tag, like this: <goto>B</goto>", one("goto", "B")],
    ["either <result> or <goto>B</goto>", one("goto", "B")],
    ['<goto a="<reset>B</reset>" <', one("reset", "B")],
    ["<div><goto>B</goto></div>", one("goto", "B")],
    ["<<goto>B</goto>", one("goto", "B")],
    ["a <call or a\n<goto>B</goto>", one("goto", "B")],
  ])("continues after an opening tag that is no element: %j", (text, reading) => {
    expect(scan(text)).toEqual(reading);
  });

  it.each([
    ["<goto foo>A</goto>", "the attribute foo has no value"],
    ["<goto foo = >A</goto>", "the value of the attribute foo is not in quotes"],
    ["<call return=R.md>A</call>", "the value of the attribute return is not in quotes"],
    [
      "<fork next='N' task='don't'>W</fork>",
      'expected a space after task="…". Does the value contain a quote? Write it as &quot;',
    ],
    [
      '<fork next="N"a="1">W</fork>',
      'expected a space after next="…". Does the value contain a quote? Write it as &quot;',
    ],
    ['<fork data-x="1">W</fork>', '"data-x" is not a valid attribute name'],
    ['<fork 1x="1">W</fork>', '"1x" is not a valid attribute name'],
    ["<goto / >A</goto>", '"/" is not a valid attribute name'],
  ])("keeps an element whose attributes cannot be read: %j", (text, problem) => {
    const { elements, count } = scan(text);

    expect(count).toBe(1);
    expect(elements[0]?.problem).toBe(problem);
  });

  it("counts all elements and keeps as many as one output may hold, and one more", () => {
    const { elements, count } = scan("<goto>A</goto>".repeat(5000));

    expect(count).toBe(5000);
    expect(elements).toHaveLength(1002);
  });

  it("matches the plain grammar, with any split of the text", () => {
    fc.assert(
      fc.property(
        anyTagSoup
          .chain((soup) => fc.constantFrom(soup, soup.replaceAll("A", "x".repeat(3000))))
          .chain((text) => fc.tuple(fc.constant(text), cutAnywhere(text))),
        ([text, pieces]) => {
          const plain = plainReading(text);

          expect(scan(...pieces)).toEqual({
            elements: plain.elements.slice(0, 8),
            count: plain.elements.length,
            unclosed: plain.unclosed,
            oversized: false,
          });
        },
      ),
      { numRuns: propertyRuns(1000) },
    );
  });

  it("reads the same whether a text comes whole or character by character", () => {
    fc.assert(
      fc.property(anyTagSoup, (text) => {
        expect(scan(...Array.from(text))).toEqual(scan(text));
      }),
    );
  });

  it("is not changed by text without tags around an element", () => {
    const prose = fc.string({ unit: "binary" }).map((text) => text.replaceAll("<", ""));
    fc.assert(
      fc.property(prose, prose, (before, after) => {
        expect(scan(`${before}<goto>A</goto>${after}`)).toEqual(one("goto", "A"));
      }),
    );
  });

  it.each([
    ["tags that are never closed", "<result>", 0],
    ["quotes that swallow one another", '<goto x="', 0],
    ["quotes of two kinds", `<goto x='<call y="`, 0],
    ["values that start again at each tag", `<goto a="<goto b" c=`, 0],
    ["elements between tags that are none", `<result a="<goto>A</goto>`, 1],
    ["every quote in turn", `<result a=">'<goto b=" '<fork c='`, 0],
    ["nothing but brackets", "<", 0],
  ])("reads 200,000 times %s in linear time", { timeout: 60_000 }, (_, part, elements) => {
    // A scanner that goes back at each tag would need hours for each of these.
    const text = part.repeat(200_000);

    expect(scan(text).count).toBe(elements * 200_000);
  });

  it("keeps a payload whole that begins and ends far from the edges of the pieces", () => {
    const line = "0123456789".repeat(500);

    expect(scan("<goto>", line, `${line}<result>a`, line, "b</result", ">")).toEqual(
      one("result", `a${line}b`),
    );
  });

  it("drops an oversized payload and reports it", () => {
    const block = "x".repeat(1024 * 1024);
    const scanner = new OutputScanner();
    scanner.push("<result>");
    for (let i = 0; i < 17; i++) scanner.push(block);
    scanner.push("</result>");

    expect(scanner.end()).toEqual({ elements: [], count: 1, unclosed: null, oversized: true });
  });

  it.each([
    ["<result>", "result"],
    ["<goto>", "goto"],
    ['<goto x="', null],
  ])("gives up an endless %j", (opening, unclosed) => {
    const block = "x".repeat(1024 * 1024);
    const scanner = new OutputScanner();
    scanner.push(opening);
    for (let i = 0; i < 17; i++) scanner.push(block);

    expect(scanner.end()).toEqual({ elements: [], count: 0, unclosed, oversized: true });
  });

  it("still finds the tag after a stray opening tag and a very long log", () => {
    const block = "x".repeat(1024 * 1024);
    const scanner = new OutputScanner();
    scanner.push("<result>");
    for (let i = 0; i < 17; i++) scanner.push(block);
    scanner.push("<goto>A</goto>");

    expect(scanner.end()).toEqual(one("goto", "A"));
  });

  it("keeps an element of exactly the permitted length", () => {
    const content = "x".repeat(MAX_PAYLOAD_CHARS - "<result></result>".length);

    expect(scan(`<result>${content}</result>`).elements[0]?.content).toHaveLength(content.length);
    expect(scan(`<result>${content}x</result>`)).toMatchObject({ oversized: true, elements: [] });
  });
});
