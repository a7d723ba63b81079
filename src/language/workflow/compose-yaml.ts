import { Composer, type Document, Lexer, LineCounter, Parser, YAMLParseError } from "yaml";

/**
 * Parses a YAML text like `parseDocument` of the library; null if it is nested too deeply. The library
 * composes a document recursively: deep nesting overflows the stack, takes exponential time or aborts
 * the process. So the depth is limited by the parser, which is iterative and linear.
 */
export function composeYaml(text: string, lineCounter = new LineCounter()): Document.Parsed | null {
  const parser = new Parser(lineCounter.addNewLine);
  const depth = { isExceeded: false };
  function* tokens() {
    lineCounter.addNewLine(0);
    for (const lexeme of new Lexer().lex(text)) {
      yield* parser.next(lexeme);
      depth.isExceeded = parser.stack.length > DEEPEST_PARSED;
      if (depth.isExceeded) return;
    }
    yield* parser.end();
  }
  // Pretty errors and unique keys can take quadratic time.
  const options = { lineCounter, prettyErrors: false, uniqueKeys: false };
  const composer = new Composer(options);
  const [document, second] = composer.compose(tokens(), true, text.length);
  if (depth.isExceeded || document === undefined) return null;
  if (second !== undefined) {
    const [start, end] = second.range;
    document.errors.push(new YAMLParseError([start, end], "MULTIPLE_DOCS", ""));
  }
  return document;
}

const DEEPEST_PARSED = 100;
