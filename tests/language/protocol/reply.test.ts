import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readReply } from "../../../src/language/protocol/reply.ts";
import { propertyRuns } from "../../support/property-runs.ts";
import { anyCodeDocument } from "./code-documents.ts";
import { anyTagSoup, plainReading } from "./scan/plain-grammar.ts";

function contents(text: string): readonly string[] {
  return readReply(text).elements.map(({ tag, content }) => `${tag}: ${content}`);
}

describe("readReply", () => {
  it.each([
    ["Done.\n\n<goto>B</goto>", ["goto: B"]],
    ["Not `<goto>A</goto>` but <goto>B</goto>", ["goto: B"]],
    ["Such as\n```\n<goto>A</goto>\n```\nand so <goto>B</goto>", ["goto: B"]],
    ["Use the `<goto>` tag, or `</goto>`: <goto>B</goto>", ["goto: B"]],
    ["> Quote: `the tag is\n<goto>A</goto>` as I said.\n\n<goto>B</goto>", ["goto: B"]],
    ["<goto>A</goto> <goto>B</goto> `<goto>C</goto>`", ["goto: A", "goto: B"]],
  ])("prefers tags outside code: %j", (text, found) => {
    expect(contents(text)).toEqual(found);
  });

  it.each([
    ["`<goto>B</goto>`", ["goto: B"]],
    ["Done:\n\n```xml\n<result>\nok\n</result>\n```", ["result: \nok\n"]],
    ["~~~\n<goto>B</goto>", ["goto: B"]],
    ["`<goto>A</goto>` or `<reset>B</reset>`", ["goto: A", "reset: B"]],
    ["a <result> is not closed, `<goto>B</goto>` is", ["goto: B"]],
  ])("uses tags inside code if there are no others: %j", (text, found) => {
    expect(contents(text)).toEqual(found);
  });

  it.each([
    ["<result>see\n```js\nx\n```\ndone</result>", ["result: see\n```js\nx\n```\ndone"]],
    ["<result>\n```\n</result>\n```\n</result>", ["result: \n```\n</result>\n```\n"]],
    [
      "<result>`<goto>A</goto>` and `</result>`</result>",
      ["result: `<goto>A</goto>` and `</result>`"],
    ],
    ["<goto>`A.md`</goto>", ["goto: `A.md`"]],
  ])("keeps code in the content of an element: %j", (text, found) => {
    expect(contents(text)).toEqual(found);
  });

  it("keeps code in the value of an attribute", () => {
    const { elements } = readReply('<fork next="N" task="run `a > b` now">W</fork>');

    expect(elements[0]?.attributes).toContainEqual(["task", "run `a > b` now"]);
  });

  it.each([
    ["<goto>A`</goto>`"],
    ["`<goto>`A</goto>"],
    ["`<goto>` A `</goto>`"],
    ["<goto`>`A</goto>"],
    ["<go`to>A</goto>`"],
    ["<goto `>A</goto>`"],
    ["<goto>A`<b>`</goto>"],
    ["<result>\n```\n</result>"],
  ])("finds no element across the edge of code: %j", (text) => {
    expect(readReply(text).count).toBe(0);
  });

  it.each([
    ["<goto>A and `<result>`", "goto"],
    ["`<result>` and nothing", "result"],
    ["<goto>A</got", "goto"],
    ["nothing", null],
  ])("names the first opening tag that was never closed: %j", (text, unclosed) => {
    expect(readReply(text)).toMatchObject({ count: 0, unclosed });
  });

  it("counts the tags of all code regions and keeps as many as one output may hold, and one more", () => {
    const { count, elements } = readReply("`<goto>A</goto>` ".repeat(2000));

    expect(count).toBe(2000);
    expect(elements).toHaveLength(1002);
  });

  it("reads text without code like the output of a script", () => {
    fc.assert(
      fc.property(anyTagSoup, (soup) => {
        const text = soup.replaceAll(/[`~]/g, "");
        const { elements, unclosed } = plainReading(text);

        expect(readReply(text)).toMatchObject({ count: elements.length, unclosed });
      }),
      { numRuns: propertyRuns(500) },
    );
  });

  it("counts the tags outside of code, or else those inside, in any mixture of both", () => {
    fc.assert(
      fc.property(anyCodeDocument, (pieces) => {
        const tagsOf = (code: boolean) =>
          pieces
            .filter((piece) => piece.code === code)
            .reduce((sum, { text }) => sum + text.split("<goto>A</goto>").length - 1, 0);

        const { count } = readReply(pieces.map(({ text }) => text).join(""));

        expect(count).toBe(tagsOf(false) || tagsOf(true));
      }),
      { numRuns: propertyRuns(500) },
    );
  });

  it("is not changed by code around the one tag outside of it", () => {
    fc.assert(
      fc.property(anyCodeDocument, anyCodeDocument, (before, after) => {
        const join = (pieces: typeof before) =>
          pieces
            .map(({ text, code }) => (code ? text : text.replaceAll("<goto>A</goto>", "it")))
            .join("");

        expect(contents(`${join(before)}<reset>B</reset>\n\n${join(after)}`)).toEqual(["reset: B"]);
      }),
    );
  });

  it("throws at no text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), anyTagSoup, (noise, soup) => {
        expect(readReply(`${noise}\`${soup}\n\`\`\`${noise}`).count).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});
