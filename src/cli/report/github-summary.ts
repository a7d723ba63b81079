/**
 * The page, as far as the summary of a GitHub job takes it: one that is longer GitHub does not show at all. It is cut
 * behind a line, what is open there is closed, and a sentence says so. `taken`: bytes that the summary has already.
 */
export function fittedSummary(page: string, taken: number): string {
  const room = MOST - taken;
  if (Buffer.byteLength(page) <= room) return page;
  // Whoever adds to a full one loses what is there.
  if (room < ROOM_FOR_END) return "";
  const kept = page.slice(0, lengthWithin(page, room - ROOM_FOR_END));
  const whole = kept.slice(0, kept.lastIndexOf("\n") + 1);
  return `${whole}${openEnds(whole)}\n${CUT}\n`;
}

/** The most that GitHub takes of one step, bytes. */
const MOST = 1024 * 1024;
const ROOM_FOR_END = 1_024;
const CUT =
  "_The rest is left out, for GitHub shows no summary above 1 MiB. The whole page: `raymond report --output FILE`._";

/** So many code units of a text are at most so many bytes. */
function lengthWithin(text: string, bytes: number): number {
  return Buffer.from(text).subarray(0, bytes).toString().length;
}

/** What ends a block of code and what is folded, where the text breaks off in them. */
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
