import { type BacktickRun, backtickRuns, type CodeRegion, codeSpans } from "./code-spans.ts";
import {
  beginContainer,
  type Container,
  type Cursor,
  continueContainers,
  lineCursor,
} from "./containers.ts";

/**
 * Where a Markdown text holds code: fenced blocks, and spans of backticks that
 * are closed, with their marks (CommonMark 0.31, sections 4.5 and 6.1; spec
 * 1.1). Ascending, not touching each other's characters. Indented code and
 * HTML blocks are not looked for. Linear in the text.
 */
export function codeRegions(text: string): readonly CodeRegion[] {
  const regions: CodeRegion[] = [];
  let containers: readonly Container[] = [];
  let fence: Fence | null = null;
  let runs: BacktickRun[] = [];
  let lastEnd = 0;

  const endBlock = (): void => {
    for (const span of codeSpans(runs)) regions.push(span);
    runs = [];
  };

  for (const { start, end } of linesOf(text)) {
    const first = lineCursor(text, start, end);
    const { cursor: inside, matched } = continueContainers(text, end, first, containers);
    let cursor = inside;

    if (fence !== null) {
      if (matched === containers.length) {
        if (closesFence(text, end, cursor, fence)) {
          regions.push({ start: fence.start, end });
          fence = null;
        }
        lastEnd = end;
        continue;
      }
      // The container of the fence is over, and the fence with it.
      regions.push({ start: fence.start, end: lastEnd });
      fence = null;
    }
    lastEnd = end;

    if (matched < containers.length) {
      endBlock();
      containers = containers.slice(0, matched);
    }
    while (containers.length < DEEPEST && !isThematicBreak(text, end, cursor)) {
      const begun = beginContainer(text, end, cursor);
      if (begun === null) break;
      endBlock();
      containers = [...containers, begun.container];
      cursor = begun.cursor;
    }

    fence = openedFence(text, end, cursor);
    if (fence !== null || endsParagraph(text, end, cursor)) {
      endBlock();
      continue;
    }
    const heading = isHeading(text, cursor);
    if (heading) endBlock();
    for (const run of backtickRuns(text.slice(cursor.at, end), cursor.at)) runs.push(run);
    if (heading) endBlock();
  }

  endBlock();
  if (fence !== null) regions.push({ start: fence.start, end: text.length });
  return regions;
}

/** A fenced block that is open. */
interface Fence {
  readonly start: number;
  readonly mark: "`" | "~";
  readonly length: number;
}

/** How deep blockquotes and list items are followed: a bound for texts made to be slow. */
const DEEPEST = 32;

function openedFence(text: string, end: number, { at, blanks }: Cursor): Fence | null {
  const mark = text[at];
  if (blanks > 3 || at >= end || (mark !== "`" && mark !== "~")) return null;
  const length = runLength(text, at, end);
  if (length < 3) return null;
  // What follows backticks on the line holds none, or it would be a span.
  if (mark === "`" && text.slice(at + length, end).includes("`")) return null;
  return { start: at, mark, length };
}

function closesFence(text: string, end: number, { at, blanks }: Cursor, fence: Fence): boolean {
  if (blanks > 3 || at >= end || text[at] !== fence.mark) return false;
  const length = runLength(text, at, end);
  return length >= fence.length && text.slice(at + length, end).trim() === "";
}

function runLength(text: string, at: number, end: number): number {
  let to = at;
  while (to < end && text[to] === text[at]) to += 1;
  return to - at;
}

/** A blank line, a thematic break or the underline of a heading: no span goes across it. */
function endsParagraph(text: string, end: number, cursor: Cursor): boolean {
  if (cursor.at >= end || isThematicBreak(text, end, cursor)) return true;
  return cursor.blanks <= 3 && /^(?:=+|-+)[ \t]*$/.test(text.slice(cursor.at, end));
}

function isThematicBreak(text: string, end: number, { at, blanks }: Cursor): boolean {
  const mark = text[at];
  if (blanks > 3 || at >= end || (mark !== "-" && mark !== "*" && mark !== "_")) return false;
  let marks = 0;
  for (let i = at; i < end; i++) {
    if (text[i] === mark) marks += 1;
    else if (text[i] !== " " && text[i] !== "\t") return false;
  }
  return marks >= 3;
}

function isHeading(text: string, { at, blanks }: Cursor): boolean {
  return blanks <= 3 && /^#{1,6}(?:[ \t\r\n]|$)/.test(text.slice(at, at + 8));
}

function* linesOf(text: string): Generator<CodeRegion> {
  let start = 0;
  while (start < text.length) {
    NEWLINE.lastIndex = start;
    const match = NEWLINE.exec(text);
    yield { start, end: match?.index ?? text.length };
    start = match === null ? text.length : match.index + match[0].length;
  }
}

const NEWLINE = /\r\n?|\n/g;
