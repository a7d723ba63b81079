import { createHash } from "node:crypto";
import { stemOf } from "../core/workflow/state-name.ts";

/** The longest name without its ending, bytes: file systems allow 255, and the endings need some. */
export const MAX_NAME_BYTES = 200;

/**
 * The name that the debug files of one process share, without their endings:
 * `{agent}_{STATE}_{process}` (docs/debugging.md, "Debug files"). What is unsafe
 * in file names is replaced; over {@link MAX_NAME_BYTES} the middle is a hash of
 * what was cut. The number at the end keeps names apart.
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

/** Nearly all names: to make ready what looks for Unicode's classes takes half a millisecond. */
const PLAIN = /^\w[\w.-]*$/;

function safe(name: string): string {
  if (PLAIN.test(name)) return name;
  // A leading dot would hide the file, a leading dash would be an option.
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
