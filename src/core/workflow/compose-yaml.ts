import { Composer, type Document, Lexer, LineCounter, Parser, YAMLParseError } from "yaml";

/**
 * The document of a YAML text, as `parseDocument` of the library gives it; null where it is nested too
 * deeply. The library composes a document recursively: at some depths it overflows the stack, takes time
 * exponential in the depth, or aborts the process. So the depth is limited while the text is parsed,
 * which is iterative and takes time linear in the text.
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
  // Pretty errors and unique keys take the square of the text's length on some texts.
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

/** More than the deepest tree needs: a collection and what is being read in it are two entries of the stack. */
const DEEPEST_PARSED = 100;
