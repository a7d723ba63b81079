import { createHash } from "node:crypto";
import { INLINE_BYTES, type PayloadReference } from "./stored-text.ts";

/** References to long texts by the text itself. A text seen before is not hashed again. */
export type Payloads = ReadonlyMap<string, PayloadReference>;

/**
 * A text as the state file says it: itself, or where it lies
 * (docs/state-file.md, "Long texts").
 */
export function storedText(
  text: string,
  known: Payloads,
  used: Map<string, PayloadReference>,
): string | PayloadReference {
  if (!isLong(text)) return text;
  const reference = known.get(text) ?? used.get(text) ?? referenceTo(text);
  if (reference === null) return text;
  used.set(text, reference);
  return reference;
}

/** The reference for a text, by its content; null when a file of UTF-8 cannot hold it exactly. */
export function referenceTo(text: string): PayloadReference | null {
  const bytes = Buffer.from(text);
  // Half a surrogate pair survives in JSON, as an escape, but not in UTF-8.
  if (bytes.toString() !== text) return null;
  const hash = createHash("sha256").update(bytes).digest("hex");
  return { file: `payloads/${hash}.txt`, bytes: bytes.length };
}

function isLong(text: string): boolean {
  if (text.length * 3 <= INLINE_BYTES) return false;
  return text.length > INLINE_BYTES || Buffer.byteLength(text) > INLINE_BYTES;
}
