/** One part of a page for people: a heading, and a text that stands there as it is. */
export interface Part {
  readonly title: string;
  /** The language of the block, such as `mermaid`. */
  readonly language?: string;
  readonly lines: readonly string[];
}

/** A page of Markdown; parts without any text are left out. What models and scripts have written stands in blocks, and forms nothing. */
export function printMarkdown(title: string, parts: readonly Part[]): string {
  const shown = parts.filter(({ lines }) => lines.some((line) => line.trim() !== ""));
  const texts = shown.map((part) => `## ${part.title}\n\n${block(part)}\n`);
  return [`# ${title}\n`, ...texts].join("\n");
}

/** Characters of a line of text: a block does not wrap in a browser. */
const WIDTH = 160;

/** A line in pieces that fit, broken at blanks where there are some; what follows is set in. */
function wrapped(text: string): readonly string[] {
  const lines: string[] = [];
  let rest = text;
  while (rest.length > WIDTH) {
    const blank = rest.lastIndexOf(" ", WIDTH);
    const hasBlank = rest.slice(0, blank).trim() !== "";
    // Not between the halves of a character.
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
  // A fence ends at one that is as long: it has to be longer than any within.
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}
