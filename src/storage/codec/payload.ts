import { createHash } from "node:crypto";

/** References to long texts by the text itself. A text seen before is not hashed again. */
export type Payloads = ReadonlyMap<string, PayloadReference>;

/** A text in the state file: the text itself, or a reference to its file (docs/state-file.md, "Long texts"). */
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

/** The reference of a text, by its content; null if UTF-8 cannot represent the text. */
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

/** A text in a file of its own. `file`: relative to the run's folder. */
export interface PayloadReference {
  readonly file: string;
  readonly bytes: number;
}

/** Longer texts, in bytes of UTF-8, are stored in files of their own. */
export const INLINE_BYTES = 64 * 1024;

/** Returns a text as it is written to the state file: itself, or a reference. */
export type StoreText = (text: string) => string | PayloadReference;

/** Returns the text of a reference. */
export type OpenText = (reference: PayloadReference) => string;
