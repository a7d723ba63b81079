import fc from "fast-check";
import { readAttributeList } from "../../../../src/language/protocol/scan/attribute-list.ts";
import type { Element } from "../../../../src/language/protocol/scan/element.ts";
import { TAGS, type Tag } from "../../../../src/language/protocol/transition.ts";

const NAMES = TAGS.join("|");
const OPENING = new RegExp(
  `<(${NAMES})(?=[ \\t\\r\\n\\f>]|/>)((?:[^<>=]|=[ \\t\\r\\n\\f]*(?:"[^"]*"|'[^']*'|(?!["' \\t\\r\\n\\f])))*)>`,
  "y",
);

/**
 * docs/protocol.md, "Grammar", as plainly as it can be said: try each `<`, and
 * continue after the element or after the `<`. Quadratic, and needs the whole text:
 * the scanner must find the same.
 */
export function plainReading(text: string): { elements: Element[]; unclosed: Tag | null } {
  const elements: Element[] = [];
  let unclosed: Tag | null = null;
  let at = text.indexOf("<");
  while (at !== -1) {
    OPENING.lastIndex = at;
    const match = OPENING.exec(text);
    const tag = TAGS.find((name) => name === match?.[1]);
    let next = at + 1;
    if (match !== null && tag !== undefined) {
      const inner = match[2] ?? "";
      const body = OPENING.lastIndex;
      const end = contentEnd(text, tag, body, inner);
      if (end === null) {
        unclosed ??= tag;
      } else {
        const selfClosing = end === body && inner.endsWith("/");
        const list = readAttributeList(selfClosing ? inner.slice(0, -1) : inner);
        elements.push({ tag, ...list, content: text.slice(body, end) });
        next = selfClosing ? body : end + tag.length + 3;
      }
    }
    at = text.indexOf("<", next);
  }
  return { elements, unclosed: elements.length === 0 ? unclosed : null };
}

function contentEnd(text: string, tag: Tag, body: number, inner: string): number | null {
  if (inner.endsWith("/")) return body;
  const opaque = tag === "result" || tag === "ask";
  const end = text.indexOf(opaque ? `</${tag}>` : "<", body);
  return end !== -1 && text.startsWith(`</${tag}>`, end) ? end : null;
}

/** Texts made of what matters to the grammar, so that tags, halves of tags and traps are frequent. */
export const anyTagSoup = fc
  .array(
    fc.oneof(
      { weight: 5, arbitrary: fc.constantFrom(...TAGS.flatMap((t) => [`<${t}>`, `</${t}>`])) },
      { weight: 5, arbitrary: fc.constantFrom(...TAGS.map((t) => `<${t} `)) },
      {
        weight: 5,
        arbitrary: fc.constantFrom(
          ...[">", "/>", "<", "/", "=", '"', "'", " ", "\n", "A", "a=", 'x="', "y='"],
          ...[
            "<goto/>",
            "<result/>",
            "<gotox>",
            "<goto-x>",
            "</b>",
            "<b>",
            "return",
            ' return="R"',
          ],
        ),
      },
      { weight: 1, arbitrary: fc.string({ maxLength: 4 }) },
    ),
    { maxLength: 40 },
  )
  .map((parts) => parts.join(""));

/** A text, cut anywhere: the pieces joined are the text. */
export function cutAnywhere(text: string): fc.Arbitrary<string[]> {
  return fc.array(fc.nat({ max: text.length }), { maxLength: 12 }).map((cuts) => {
    const edges = [0, ...cuts.toSorted((a, b) => a - b), text.length];
    return edges.slice(1).map((edge, index) => text.slice(edges[index], edge));
  });
}
