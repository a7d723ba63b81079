import { createHash } from "node:crypto";
import { stemOf } from "../language/workflow/files/state-name.ts";

/** Maximum name without extension, bytes: file systems allow 255 in total. */
export const MAX_NAME_BYTES = 200;

/**
 * The common name of the debug files of one process, without extension: `{agent}_{STATE}_{process}` (docs/debugging.md,
 * "Debug files"). Unsafe characters are replaced. A name over {@link MAX_NAME_BYTES} is cut and gets a hash.
 */
export function debugName(agent: string, state: string, process: number): string {
  const stem = stemOf(state);
  const number = `_${String(process)}`;
  const name = safe(`${agent}_${stem}`);
  if (Buffer.byteLength(name + number) <= MAX_NAME_BYTES) return name + number;

  const hash = createHash("sha256").update(`${agent}_${state}`).digest("hex").slice(0, 12);
  const end = `-${hash}${number}`;
  return cutBytes(name, MAX_NAME_BYTES - Buffer.byteLength(end)) + end;
}

/** Matches most names: compiling the Unicode expression takes half a millisecond. */
const PLAIN = /^\w[\w.-]*$/;

function safe(name: string): string {
  if (PLAIN.test(name)) return name;
  // A leading dot hides the file, a leading dash looks like an option.
  return name.replace(/[^\p{L}\p{M}\p{N}._-]/gu, "-").replace(/^[.-]/, "_");
}

function cutBytes(text: string, limit: number): string {
  let bytes = 0;
  let kept = "";
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    if (bytes > limit) return kept;
    kept += character;
  }
  return kept;
}
