import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cut, printable } from "../../src/log/printable.ts";

const anyNoise = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)) }),
  fc.string({
    unit: fc.constantFrom(
      "\u200b",
      "\u200d",
      "世",
      "a",
      "\u{e0041}",
      "\u001b",
      "[31m",
      "\u009b",
      "\u202e",
      "\r",
      "\n",
      "\t",
      "\ud800",
    ),
  }),
);

describe("printable", () => {
  it.each([
    ["\u001b[31mred", "␛[31mred"],
    ["one\r\ntwo", "one␍␊two"],
    ["a\u007fb\0", "a␡b␀"],
    ["\u009b2J", "\\u009b2J"],
    ["abc\u202edef\u2066", "abc\\u202edef\\u2066"],
    ["line\u2028end", "line\\u2028end"],
    ["a\tb", "a    b"],
    ["lone \ud800.", "lone \ufffd."],
    ["pass\u200bword\u2060\ufeff", "pass\\u200bword\\u2060\\ufeff"],
    ["ad\u200dmin\u200c", "ad\\u200dmin\\u200c"],
    ["tag\u{e0041}", "tag\\u{e0041}"],
  ])("shows %j as %j", (text, shown) => {
    expect(printable(text)).toBe(shown);
  });

  it("lets no character through that a terminal would obey", () => {
    fc.assert(
      fc.property(anyNoise, (text) => {
        expect(printable(text)).not.toMatch(
          /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\u200b\ufeff\u{e0041}]/u,
        );
      }),
    );
  });

  it("leaves text without such characters as it is, and changes nothing twice", () => {
    for (const text of ["Grüße, 世界 👩‍💻 → $0.42", "می‌خواهم", "क्‍ष"]) {
      expect(printable(text)).toBe(text);
    }
    fc.assert(
      fc.property(anyNoise, (text) => {
        expect(printable(printable(text))).toBe(printable(text));
      }),
    );
  });
});

describe("cut", () => {
  it("marks a cut text, and does not split a character", () => {
    expect(cut("short", 5)).toBe("short");
    expect(cut("longer", 5)).toBe("long…");
    expect(cut("👍👍👍", 2)).toBe("👍…");
  });

  it("never exceeds the width", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme" }),
        fc.integer({ min: 1, max: 40 }),
        (text, width) => {
          expect(Array.from(cut(text, width)).length).toBeLessThanOrEqual(width);
        },
      ),
    );
  });
});
