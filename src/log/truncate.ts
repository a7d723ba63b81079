/** Truncates a text to `maxBytes` of UTF-8, with a suffix: `… (N bytes in all)`. */
export function truncate(text: string, maxBytes: number): string {
  // A UTF-16 unit has at most three bytes, so short texts need not be measured.
  if (text.length * 3 <= maxBytes) return text;
  const bytes = new TextEncoder().encode(text);
  if (bytes.length <= maxBytes) return text;
  const head = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes.subarray(0, maxBytes));
  return `${head.replace(/\ufffd$/, "")}… (${String(bytes.length)} bytes in all)`;
}

/** Maximum size of a recorded or shown message or script output, bytes. */
export const MAX_MESSAGE = 16 * 1024;

/** Whether a text ends with the suffix of {@link truncate}. */
export function isTruncated(text: string): boolean {
  return /\u2026 \(\d+ bytes in all\)$/.test(text);
}
