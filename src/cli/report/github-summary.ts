/**
 * Cuts a page to the size limit of a GitHub job summary, above which GitHub shows nothing. It is cut after a line, open
 * blocks are closed, and a sentence says so. `used`: bytes that the summary already has.
 */
export function fittedSummary(page: string, used: number): string {
  const room = MOST - used;
  if (Buffer.byteLength(page) <= room) return page;
  // A summary above the limit would lose its earlier content.
  if (room < ROOM_FOR_END) return "";
  const kept = page.slice(0, lengthWithin(page, room - ROOM_FOR_END));
  const whole = kept.slice(0, kept.lastIndexOf("\n") + 1);
  return `${whole}${openEnds(whole)}\n${CUT}\n`;
}

/** GitHub's limit for one step, bytes. */
const MOST = 1024 * 1024;
const ROOM_FOR_END = 1_024;
const CUT =
  "_The rest is left out: GitHub shows no summary above 1 MiB. The whole page: `raymond report --output FILE`._";

/** The number of code units of a text that fit in a number of bytes. */
function lengthWithin(text: string, bytes: number): number {
  return Buffer.from(text).subarray(0, bytes).toString().length;
}

/** Closes the code block and the folded sections that are open at the end of a text. */
function openEnds(text: string): string {
  let fence: string | null = null;
  let folded = 0;
  for (const line of text.split("\n")) {
    const [, mark] = /^\s*(`{3,}|~{3,})/.exec(line) ?? [];
    if (fence !== null) {
      if (mark?.startsWith(fence) === true) fence = null;
    } else if (mark !== undefined) fence = mark;
    else folded += count(line, "<details") - count(line, "</details>");
  }
  return `${fence === null ? "" : `${fence}\n`}${"</details>\n".repeat(Math.max(0, folded))}`;
}

function count(text: string, word: string): number {
  return text.split(word).length - 1;
}
