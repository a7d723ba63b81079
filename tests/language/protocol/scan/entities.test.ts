import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readTransitions } from "../../../../src/language/protocol/output-elements.ts";
import { decodeEntities, encodeEntities } from "../../../../src/language/protocol/scan/entities.ts";
import { OutputScanner } from "../../../../src/language/protocol/scan/scan.ts";

function read(text: string) {
  const scanner = new OutputScanner();
  scanner.push(text);
  return readTransitions(scanner.end());
}

describe("decodeEntities", () => {
  it("decodes the five entities once", () => {
    expect(decodeEntities("&quot;&apos;&lt;&gt;&amp; &amp;lt;")).toBe(`"'<>& &lt;`);
  });

  it.each(["&", "&amp", "&copy;", "&#34;", "&QUOT;", "& lt;", "AT&T;"])(
    "leaves %s as it is",
    (text) => {
      expect(decodeEntities(text)).toBe(text);
    },
  );

  it("decodes every encoded text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const encoded = encodeEntities(text);

        expect(decodeEntities(encoded)).toBe(text);
        expect(encoded).not.toMatch(/[<>"]/);
      }),
    );
  });
});

describe("entities in an output", () => {
  it("are decoded in attributes and in the names of states", () => {
    expect(read('<reset input="say &quot;a &amp;&amp; b&quot;">R&amp;D</reset>')).toEqual({
      ok: true,
      transitions: [{ tag: "reset", target: "R&D", input: 'say "a && b"' }],
    });
  });

  it("are text in a payload and in a question", () => {
    expect(read("<result>&lt;b&gt; &amp; &quot;</result>")).toEqual({
      ok: true,
      transitions: [{ tag: "result", payload: "&lt;b&gt; &amp; &quot;" }],
    });
    expect(read('<ask next="A">&amp;?</ask>')).toMatchObject({
      transitions: [{ question: "&amp;?" }],
    });
  });

  it("let a payload hold its own closing tag, as an attribute", () => {
    expect(read('<result payload="a&lt;/result&gt;\n"/>')).toEqual({
      ok: true,
      transitions: [{ tag: "result", payload: "a</result>\n" }],
    });
  });

  it("cannot be given as an attribute and as content", () => {
    expect(read('<result payload="a">b</result>')).toEqual({
      ok: false,
      fault: {
        code: "malformed-tag",
        message: "<result> has both a payload attribute and content. Use only one of them.",
      },
    });
  });

  it("do not end a value before its quote", () => {
    expect(read('<goto input="x&quot;>EVIL</goto><result>">A</goto>')).toMatchObject({
      ok: true,
      transitions: [{ tag: "goto", target: "A", input: 'x">EVIL</goto><result>' }],
    });
  });
});
