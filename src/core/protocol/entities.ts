/**
 * A text as it stands in a quoted value or between the tags of a state's name
 * (docs/protocol.md, "Entities"): `decodeEntities` gives it back, whatever it holds.
 */
export function encodeEntities(text: string): string {
  return text.replaceAll(/[&<>"]/g, (char) => ENCODED.get(char) ?? char);
}

/** The text with its five entities decoded. Any other `&` stays as it is. */
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
