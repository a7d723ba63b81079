import { type BacktickRun, backtickRuns, type CodeRegion, codeSpans } from "./code-spans.ts";
import {
  type Container,
  type Cursor,
  continueContainers,
  lineCursor,
  openContainer,
} from "./containers.ts";

/**
 * The code regions of a Markdown text: fenced blocks and closed code spans, including their
 * delimiters (docs/protocol.md, "Code in replies"; CommonMark 0.31, sections 4.5, 5 and 6.1).
 * Ascending and disjoint. Time is linear in the text.
 */
export function codeRegions(text: string): readonly CodeRegion[] {
  const regions: CodeRegion[] = [];
  let containers: readonly Container[] = [];
  let fence: Fence | null = null;
  let open: LineKind = "blank";
  /** The previous line started an empty list item, which a blank line ends. */
  let isEmptyItem = false;
  let runs: BacktickRun[] = [];
  let lastEnd = 0;

  const endBlock = (): void => {
    for (const span of codeSpans(runs)) regions.push(span);
    runs = [];
  };

  for (const { start, end } of linesOf(text)) {
    const first = lineCursor(text, start, end);
    const { cursor: inside, matched: reached } = continueContainers(text, end, first, containers);

    if (fence !== null) {
      const isInside = reached === containers.length;
      const isClosed = isInside && closesFence(text, end, inside, fence);
      if (isClosed || !isInside) {
        // The end of its container ends the fence.
        regions.push({ start: fence.start, end: isClosed ? end : lastEnd });
        fence = null;
      }
      lastEnd = end;
      if (isInside) continue;
    }
    lastEnd = end;

    const matched =
      isEmptyItem && inside.at >= end ? Math.min(reached, containers.length - 1) : reached;
    const within = matched === containers.length;
    const paragraph = open === "text" && (within ? "here" : "lazy");
    const { cursor, opened } = openContainers(text, end, inside, matched, paragraph === "here");
    const kind = kindOf(text, end, cursor, opened.length === 0 && paragraph);
    isEmptyItem = opened.length > 0 && cursor.at >= end;

    // A paragraph continues even if the line does not continue its containers (lazy continuation).
    const isContinued =
      opened.length === 0 && kind === open && (kind === "text" || (kind === "indented" && within));
    if (!isContinued) {
      endBlock();
      containers = [...containers.slice(0, matched), ...opened];
    }
    open = kind;
    if (kind === "fence") {
      fence = openedFence(text, end, cursor);
      continue;
    }
    for (const run of backtickRuns(text.slice(cursor.at, end), cursor.at)) runs.push(run);
  }

  endBlock();
  if (fence !== null) regions.push({ start: fence.start, end: text.length });
  return regions;
}

/** The content of a line inside its containers. `edge`: a thematic break or a heading underline. */
type LineKind = "blank" | "indented" | "fence" | "heading" | "edge" | "text";

/** Whether a paragraph is open, and whether the line continues its containers (`here`). */
type OpenParagraph = "here" | "lazy" | false;

function kindOf(text: string, end: number, cursor: Cursor, paragraph: OpenParagraph): LineKind {
  if (cursor.at >= end) return "blank";
  if (cursor.blanks > 3) return paragraph === false ? "indented" : "text";
  if (openedFence(text, end, cursor) !== null) return "fence";
  if (/^#{1,6}(?:[ \t\r\n]|$)/.test(text.slice(cursor.at, cursor.at + 8))) return "heading";
  if (isThematicBreak(text, end, cursor)) return "edge";
  const underline = /^(?:=+|-+)[ \t]*$/.test(text.slice(cursor.at, end));
  return underline && paragraph === "here" ? "edge" : "text";
}

/** Enters the containers that start in this line, inside the `depth` that it continues. */
function openContainers(
  text: string,
  end: number,
  from: Cursor,
  depth: number,
  interrupts: boolean,
): { readonly cursor: Cursor; readonly opened: readonly Container[] } {
  const opened: Container[] = [];
  let cursor = from;
  while (depth + opened.length < DEEPEST && !isThematicBreak(text, end, cursor)) {
    const next = openContainer(text, end, cursor, interrupts && opened.length === 0);
    if (next === null) break;
    opened.push(next.container);
    cursor = next.cursor;
  }
  return { cursor, opened };
}

interface Fence {
  readonly start: number;
  readonly mark: "`" | "~";
  readonly length: number;
}

/** Nesting limit of containers, against malicious input. */
const DEEPEST = 32;

function openedFence(text: string, end: number, { at, blanks }: Cursor): Fence | null {
  const mark = text[at];
  if (blanks > 3 || at >= end || (mark !== "`" && mark !== "~")) return null;
  const length = runLength(text, at, end);
  if (length < 3) return null;
  // An info string after backticks contains none: otherwise it is a span.
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
