import path from "node:path";

const HASH = /(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])/gi;

/** The SHA-256 in a file name: its only run of 64 hex digits; null for none or several. */
export function hashInName(file: string): string | null {
  const [promised, other] = path.basename(file).match(HASH) ?? [];
  return promised === undefined || other !== undefined ? null : promised.toLowerCase();
}

/** `NAME-HASH.zip`. Removes other hashes from the name. */
export function nameWithHash(name: string, sha256: string): string {
  const plain = name.replaceAll(HASH, "").replace(/-+$/, "");
  return `${plain === "" ? "workflow" : plain}-${sha256}.zip`;
}
