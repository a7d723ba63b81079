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

function block({ language = "text", lines }: Part): string {
  const text = lines.join("\n").replace(/\n+$/, "");
  // A fence ends at one that is as long: it has to be longer than any within.
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}
