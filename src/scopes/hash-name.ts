import path from "node:path";

const HASH = /(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])/gi;

/** The SHA-256 that the name of a file promises: its one run of 64 hex digits; null where it has none, or several. */
export function promisedHash(file: string): string | null {
  const [promised, other] = path.basename(file).match(HASH) ?? [];
  return promised === undefined || other !== undefined ? null : promised.toLowerCase();
}

/** `NAME-HASH.zip`, which promises this hash, whatever the name. */
export function nameWithHash(name: string, sha256: string): string {
  const plain = name.replaceAll(HASH, "").replace(/-+$/, "");
  return `${plain === "" ? "workflow" : plain}-${sha256}.zip`;
}
