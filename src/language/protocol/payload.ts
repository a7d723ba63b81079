/**
 * Normalizes a payload (docs/protocol.md, "Target, payload and attributes"): line ends become `\n`,
 * blank lines at both ends are removed. Blanks within other lines are kept.
 */
export function trimPayload(content: string): string {
  const text = content.includes("\r") ? content.replaceAll(/\r\n?/g, "\n") : content;
  let start = 0;
  for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", start)) {
    if (!isBlankLine(text.slice(start, end))) break;
    start = end + 1;
  }
  let end = text.length;
  while (end > start) {
    const lineStart = Math.max(start, text.lastIndexOf("\n", end - 1) + 1);
    if (!isBlankLine(text.slice(lineStart, end))) break;
    end = Math.max(start, lineStart - 1);
  }
  return text.slice(start, end);
}

function isBlankLine(line: string): boolean {
  return line.trim() === "";
}
