import { readTransitions } from "../../../src/language/protocol/output-elements.ts";
import { readReply } from "../../../src/language/protocol/reply.ts";
import { OutputScanner } from "../../../src/language/protocol/scan/scan.ts";
import { TAGS } from "../../../src/language/protocol/transition.ts";
import { plainReading } from "../../language/protocol/scan/plain-grammar.ts";
import { seededRandom } from "../seeded-random.ts";
import { difference, type Target } from "../target.ts";

/** The reply of a model and the output of a script: never throws, and no way to cut it matters. */
export const replyTarget: Target = {
  name: "reply",
  words: [
    ...TAGS.flatMap((tag) => [`<${tag}>`, `</${tag}>`, `<${tag} `, `<${tag}/>`]),
    ...['return="', 'next="', "cd='", '="', '"', "'", ">", "/>", "<", "</", "`", "``", "```\n"],
    ...["~~~\n", "    ", "\t", "> ", "- ", "\r\n", "\n\n", "\\`", "\u0000", "\ud800", "é", "1. "],
  ],
  seeds: () => [],
  broken(input) {
    const text = input.toString();
    const whole = scanned([text]);
    const reply = readReply(text);
    readTransitions(whole);
    readTransitions(reply);
    return (
      difference("cut in pieces", whole, scanned(pieces(text))) ??
      (/[`~]|^(?: {0,3}\t| {4})|[\r\n](?:.*(?:\t| {4}))/.test(text)
        ? null
        : difference("without code", whole, reply)) ??
      plainly(text, whole)
    );
  },
};

function scanned(parts: readonly string[]) {
  const scanner = new OutputScanner();
  for (const part of parts) scanner.push(part);
  return scanner.end();
}

/** The plain grammar is quadratic. */
function plainly(text: string, { elements, unclosed }: ReturnType<typeof scanned>): string | null {
  if (text.length > 4_000) return null;
  const plain = plainReading(text);
  const first = { elements: plain.elements.slice(0, elements.length), unclosed: plain.unclosed };
  return difference("the plain grammar", first, { elements, unclosed });
}

/** The text in up to twelve pieces, by itself: the same each time. */
function pieces(text: string): readonly string[] {
  const dice = seededRandom(text);
  const cuts = Array.from({ length: dice(12) }, () => dice(text.length + 1));
  const edges = [0, ...cuts.sort((a, b) => a - b), text.length];
  return edges.slice(1).map((edge, index) => text.slice(edges[index], edge));
}
