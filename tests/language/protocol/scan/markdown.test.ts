import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { CodeRegion } from "../../../../src/language/protocol/scan/code-spans.ts";
import { codeRegions } from "../../../../src/language/protocol/scan/markdown.ts";
import { propertyRuns } from "../../../support/property-runs.ts";
import { anyCodeDocument, anyMarkedDocument } from "../code-documents.ts";
import { commonMarkCode } from "./commonmark.ts";

function codeIn(text: string): readonly string[] {
  return codeRegions(text).map(({ start, end }) => text.slice(start, end));
}

/** An unclosed fence may end before the blank lines behind it, or after them. */
function trimmed(text: string, { start, end }: CodeRegion): CodeRegion {
  return { start, end: start + text.slice(start, end).replace(/[\s>]+$/, "").length };
}

describe("codeRegions", () => {
  it.each([
    ["a `b` c", ["`b`"]],
    ["``a ` b`` `c`", ["``a ` b``", "`c`"]],
    ["`a``b`", ["`a``b`"]],
    ["`a\nb`", ["`a\nb`"]],
    ["`a\\` b", ["`a\\`"]],
    ["\\`a `b`", ["`b`"]],
    ["\\``a` b", ["`a`"]],
    ["\\\\`a`", ["`a`"]],
    ["# a `b`\n", ["`b`"]],
  ])("finds closed code spans: %j", (text, code) => {
    expect(codeIn(text)).toEqual(code);
  });

  it.each([
    ["a ` b"],
    ["``a`"],
    ["\\`a`"],
    ["`a\n\nb`"],
    ["`a\n# b`"],
    ["# a ` b\nc ` d"],
    ["`a\n- b`"],
    ["`a\n1. b`"],
    ["`a\n> b`"],
    ["> `a\n\nb`"],
    ["`a\n---\nb`"],
    ["`a\n===\nb`"],
    ["`a\n* * *\nb`"],
  ])("finds no unclosed span and none across blocks: %j", (text) => {
    expect(codeIn(text)).toEqual([]);
  });

  it.each([
    ["```\nx\n```\ny", ["```\nx\n```"]],
    ["```js\nx\n```", ["```js\nx\n```"]],
    ["~~~ a`b\nx\n~~~", ["~~~ a`b\nx\n~~~"]],
    ["````\n```\n````", ["````\n```\n````"]],
    ["```\nx\n`````  \ny", ["```\nx\n`````  "]],
    ["```\n~~~\n```", ["```\n~~~\n```"]],
    ["   ```\nx\n   ```\ny", ["```\nx\n   ```"]],
    ["```\nx\n    ```\ny", ["```\nx\n    ```\ny"]],
    ["```\nx\n``` y\nz", ["```\nx\n``` y\nz"]],
    ["```\nx", ["```\nx"]],
    ["```", ["```"]],
    ["```\r\nx\r\n```\r\ny `z`", ["```\r\nx\r\n```", "`z`"]],
    ["a\n```\nx\n```\nb", ["```\nx\n```"]],
    ["a ` b\n```\nx\n```\nc ` d", ["```\nx\n```"]],
    ["- a\n  ```\n  x\n  ```\nb", ["```\n  x\n  ```"]],
    ["- ```\n  x\n  ```\n", ["```\n  x\n  ```"]],
    ["10. a\n\n    ```\n    x\n    ```\nb", ["```\n    x\n    ```"]],
    ["1. a\n   - b\n     ```\n     x\n     ```\nc `d`", ["```\n     x\n     ```", "`d`"]],
    ["- a\n\n\t```\n\tx\n\t```\n", ["```\n\tx\n\t```"]],
    ["> ```\n> x\n> ```\n> y", ["```\n> x\n> ```"]],
    ["> - ```\n>   x\n>   ```\n> y", ["```\n>   x\n>   ```"]],
  ])("finds fenced blocks: %j", (text, code) => {
    expect(codeIn(text)).toEqual(code);
  });

  it.each([
    ["> ```\n> x\ny `z`", ["```\n> x", "`z`"]],
    ["- ```\n  x\n\ny `z`", ["```\n  x\n", "`z`"]],
  ])("ends an unclosed fence with the block that it stands in: %j", (text, code) => {
    expect(codeIn(text)).toEqual(code);
  });

  it.each([
    ["    ~~~\n<goto>A</goto>"],
    ["~~ ~\n<goto>A</goto>"],
    ["``\n<goto>A</goto>"],
    ["``` a`b\n<goto>A</goto>"],
    ["-~~~\n<goto>A</goto>"],
    ["- a\n      ~~~\n<goto>A</goto>"],
    ["a ~~~\n<goto>A</goto>"],
  ])("finds no fence in %j", (text) => {
    expect(codeIn(text)).toEqual([]);
  });

  it.each([
    ["> a `b\nc` d\n\n`e`", ["`b\nc`", "`e`"]],
    ["> - a `b\nc` d", ["`b\nc`"]],
    ["- a `b\nc` d", ["`b\nc`"]],
    ["> a `b\n===\nc` d", ["`b\n===\nc`"]],
    ["> a `b\n    c` d", ["`b\n    c`"]],
    ["a `b\n2. c` d", ["`b\n2. c`"]],
    ["a `b\n*\nc` d", ["`b\n*\nc`"]],
    ["> a `b\n2. c` d", []],
    ["> a `b\n---\nc` d", []],
    ["> a `b\n```\nc` d\n```", ["```\nc` d\n```"]],
    ["> # a `b\nc` d", []],
    ["    a `b\nc` d", []],
    ["-\n\n  ~~~\n`b`", ["~~~\n`b`"]],
  ])("continues a paragraph, in its blocks or lazily: %j", (text, code) => {
    expect(codeIn(text)).toEqual(code);
  });

  it("finds the same code as CommonMark, and only spans in indented code", () => {
    fc.assert(
      fc.property(anyMarkedDocument, (text) => {
        const { regions, indented } = commonMarkCode(text);
        const isIndented = ({ start, end }: CodeRegion): boolean =>
          [start, end].every((at) => indented.some((code) => code.start <= at && at <= code.end));

        const own = codeRegions(text).filter((region) => !isIndented(region));
        expect(own.map((region) => trimmed(text, region))).toEqual(
          regions.map((region) => trimmed(text, region)),
        );
      }),
      { numRuns: propertyRuns(2_000) },
    );
  });

  it("finds exactly the generated code", () => {
    fc.assert(
      fc.property(anyCodeDocument, (pieces) => {
        const text = pieces.map((piece) => piece.text).join("");

        expect(codeIn(text)).toEqual(pieces.filter(({ code }) => code).map((piece) => piece.text));
      }),
      { numRuns: propertyRuns(500) },
    );
  });

  it("gives regions in order, apart from one another and inside the text", () => {
    const marks = fc.constantFrom(
      "`",
      "``",
      "```",
      "~~~",
      "\n",
      "> ",
      "- ",
      "1) ",
      "  ",
      "\t",
      "a",
    );
    fc.assert(
      fc.property(fc.array(marks, { maxLength: 40 }), (parts) => {
        const text = parts.join("");
        let last = 0;
        for (const { start, end } of codeRegions(text)) {
          expect(start).toBeGreaterThanOrEqual(last);
          expect(end).toBeGreaterThan(start);
          expect(text[start]).toMatch(/[`~]/);
          last = end;
        }
        expect(last).toBeLessThanOrEqual(text.length);
      }),
      { numRuns: propertyRuns(500) },
    );
  });

  it.each([
    [
      "runs of backticks that find no partner",
      Array.from({ length: 2000 }, (_, i) => "`".repeat(i + 1)).join(" "),
    ],
    ["lines without code", "a line\n".repeat(200_000)],
    ["list items in list items, and blank lines", `${"- ".repeat(200_000)}${"\n".repeat(200_000)}`],
    ["quotes in quotes", `${">".repeat(200)}\n`.repeat(2000)],
  ])("reads many %s in linear time", { timeout: 60_000 }, (_, text) => {
    expect(codeRegions(text)).toEqual([]);
  });
});
