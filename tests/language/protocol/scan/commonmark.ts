import { parse, postprocess, preprocess } from "micromark";
import type { CodeRegion } from "../../../../src/language/protocol/scan/code-spans.ts";

/** Code of a Markdown text as micromark finds it. */
export interface CommonMarkCode {
  /** Fences and spans, with their marks. */
  readonly regions: readonly CodeRegion[];
  readonly indented: readonly CodeRegion[];
}

/** What raymond does not read: HTML, links and their definitions. */
const UNREAD = [
  "autolink",
  "characterReference",
  "definition",
  "htmlFlow",
  "htmlText",
  "labelEnd",
  "labelStartImage",
  "labelStartLink",
];

/** Reads a text with micromark, which follows CommonMark: the oracle for `codeRegions`. */
export function commonMarkCode(text: string): CommonMarkCode {
  const parser = parse({ extensions: [{ disable: { null: UNREAD } }] });
  const events = postprocess(parser.document().write(preprocess()(text, undefined, true)));
  const found = (...types: readonly string[]): readonly CodeRegion[] =>
    events
      .filter(([edge, token]) => edge === "enter" && types.includes(token.type))
      .map(([, { start, end }]) => ({ start: start.offset, end: end.offset }));
  return { regions: found("codeFenced", "codeText"), indented: found("codeIndented") };
}
