/** The text, or as much of its beginning as fits into so many bytes, with how many there are: `… (N bytes in all)`. */
export function bounded(text: string, maxBytes: number): string {
  // No UTF-16 unit takes more than three bytes: short texts are not measured.
  if (text.length * 3 <= maxBytes) return text;
  const bytes = new TextEncoder().encode(text);
  if (bytes.length <= maxBytes) return text;
  const head = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes.subarray(0, maxBytes));
  return `${head.replace(/\ufffd$/, "")}… (${String(bytes.length)} bytes in all)`;
}

/** What is kept and shown of a message of a model, or of a piece of a script's output, bytes. */
export const MAX_MESSAGE = 16 * 1024;

/** Whether a text was cut by {@link bounded}, as far as its end tells. */
export function isBounded(text: string): boolean {
  return /\u2026 \(\d+ bytes in all\)$/.test(text);
}
