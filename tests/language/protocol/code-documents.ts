import fc from "fast-check";

/** A piece of a Markdown text, of which it is known whether it is code. */
export interface Piece {
  readonly text: string;
  readonly code: boolean;
}

const word = fc.constantFrom("see", "the", "example", "<goto>A</goto>", "a*b", "~~", "1.", "\\");
const words = fc.array(word, { minLength: 1, maxLength: 5 }).map((list) => list.join(" "));

const span = fc
  .tuple(fc.integer({ min: 1, max: 3 }), words)
  .map(([length, inside]) => ["`".repeat(length), inside] as const)
  .map(([ticks, inside]) => ({ text: `${ticks}${inside}${ticks}`, code: true }));

const paragraph = fc
  .array(
    fc.oneof(
      words.map((text) => ({ text, code: false })),
      span,
    ),
    {
      minLength: 1,
      maxLength: 4,
    },
  )
  .map((pieces) => [
    { text: "So ", code: false },
    ...pieces.flatMap((piece) => [piece, { text: " so ", code: false }]),
  ]);

const fence = fc
  .record({
    indent: fc.integer({ min: 0, max: 3 }),
    mark: fc.constantFrom("`", "~"),
    length: fc.integer({ min: 3, max: 5 }),
    longer: fc.integer({ min: 0, max: 2 }),
    info: fc.constantFrom("", "js", " bash title"),
    lines: fc.array(
      fc.constantFrom("x", "", "``", "~~", "`a`", "<goto>A</goto>", "# no", "> ```no"),
    ),
  })
  .map(({ indent, mark, length, longer, info, lines }) => {
    const open = `${mark.repeat(length)}${info}`;
    const text = [open, ...lines, mark.repeat(length + longer)].join("\n");
    return [
      { text: " ".repeat(indent), code: false },
      { text, code: true },
    ];
  });

/** Markdown texts of paragraphs and fences, in pieces whose kind is known. */
export const anyCodeDocument: fc.Arbitrary<readonly Piece[]> = fc
  .array(fc.oneof(paragraph, fence), { maxLength: 5 })
  .map((blocks) => blocks.flatMap((block) => [...block, { text: "\n\n", code: false }]));

const marker = fc.constantFrom(
  "> ",
  ">",
  "- ",
  "-",
  "* ",
  "1. ",
  "2) ",
  "  ",
  "   ",
  "    ",
  "\t",
  "",
);
const inline = fc.constantFrom("`", "`", "``", "a", "b", "\\", " ", "<goto>A</goto>");
const line = fc.oneof(
  { weight: 6, arbitrary: fc.array(inline, { maxLength: 5 }).map((parts) => parts.join("")) },
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      "```",
      "```js",
      "~~~",
      "````",
      "===",
      "---",
      "--",
      "***",
      "# a `",
      "",
    ),
  },
);

/**
 * Markdown texts of the marks that matter to code, in any order: quotes, lists,
 * lazy lines, fences, spans, indented code. Below the first line no list item is
 * empty or begins with 2: CommonMark refuses them where they would interrupt a
 * paragraph, and micromark 4 also below indented code.
 */
export const anyMarkedDocument: fc.Arbitrary<string> = fc
  .array(
    fc
      .tuple(fc.array(marker, { maxLength: 3 }), line)
      .map(([markers, text]) => `${markers.join("")}${text}`),
    { maxLength: 10 },
  )
  .map((lines) => lines.join("\n"))
  .filter((text) => !/\n(?:.*2\)|(?:.*[ \t>])?(?:[-*]|\d[.)])[ \t]*$)/m.test(text))
  .chain((text) => fc.constantFrom("\n", "\r\n").map((end) => text.replaceAll("\n", end)));
