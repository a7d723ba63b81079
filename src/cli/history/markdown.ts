/** A section of a page: a heading and preformatted lines. */
export interface Part {
  readonly title: string;
  /** The language of the block, such as `mermaid`. */
  readonly language?: string;
  readonly lines: readonly string[];
}

/** A page of Markdown. Empty parts are left out. Texts of models and scripts are in code blocks, so that they are not markup. */
export function printMarkdown(title: string, parts: readonly Part[]): string {
  const shown = parts.filter(({ lines }) => lines.some((line) => line.trim() !== ""));
  const texts = shown.map((part) => `## ${part.title}\n\n${block(part)}\n`);
  return [`# ${title}\n`, ...texts].join("\n");
}

/** Maximum characters of a line: a browser does not wrap code blocks. */
const WIDTH = 160;

/** Wraps a line at blanks if possible. Further lines are indented. */
function wrapped(text: string): readonly string[] {
  const lines: string[] = [];
  let rest = text;
  while (rest.length > WIDTH) {
    const blank = rest.lastIndexOf(" ", WIDTH);
    const hasBlank = rest.slice(0, blank).trim() !== "";
    // Does not split a surrogate pair.
    const half = /[\uD800-\uDBFF]/.test(rest.charAt(WIDTH - 1)) ? WIDTH - 1 : WIDTH;
    const end = hasBlank ? blank : half;
    lines.push(rest.slice(0, end).trimEnd());
    rest = `    ${rest.slice(end).trimStart()}`;
  }
  return [...lines, rest];
}

function block({ language = "text", lines }: Part): string {
  const shown = language === "text" ? lines.flatMap(wrapped) : lines;
  const text = shown.join("\n").replace(/\n+$/, "");
  // A fence must be longer than any run of backticks in the text.
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}
