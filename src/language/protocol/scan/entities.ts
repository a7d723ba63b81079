/** Encodes a text for a quoted value or a state name (docs/protocol.md, "Entities"). */
export function encodeEntities(text: string): string {
  return text.replaceAll(/[&<>"]/g, (char) => ENCODED.get(char) ?? char);
}

/** Decodes the five entities. Any other `&` is literal. */
export function decodeEntities(text: string): string {
  if (!text.includes("&")) return text;
  return text.replaceAll(/&(?:quot|apos|lt|gt|amp);/g, (entity) => DECODED.get(entity) ?? entity);
}

const DECODED: ReadonlyMap<string, string> = new Map([
  ["&quot;", '"'],
  ["&apos;", "'"],
  ["&lt;", "<"],
  ["&gt;", ">"],
  ["&amp;", "&"],
]);
const ENCODED: ReadonlyMap<string, string> = new Map(
  [...DECODED].map(([entity, char]) => [char, entity]),
);
