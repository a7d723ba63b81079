import { partsOf } from "../protocol/parts.ts";
import { readElement } from "../protocol/read-element.ts";
import type { Element } from "../protocol/scan/element.ts";
import { decodeEntities } from "../protocol/scan/entities.ts";
import { TAG_TABLE } from "../protocol/tag-table.ts";
import type { Part, StateName } from "../protocol/transition.ts";
import type { Platform } from "../workflow/files/platform.ts";
import type { StateFile } from "../workflow/files/state-file.ts";
import { destination, openDestination } from "./declared-moves.ts";
import { mentionedTags } from "./mentioned-tags.ts";
import { type Destination, type OutlinedMove, placesIn } from "./outline.ts";
import { tagCalls } from "./tag-calls.ts";
import { writtenText } from "./written-text.ts";

/**
 * The moves that the text of a state mentions, each distinct tag once, at its first position. A tag
 * without a target, as prose names it ("end with <goto>"), is no move; a tag for a payload is.
 */
export function mentionedMoves(
  file: StateFile,
  names: readonly StateName[],
  platform: Platform,
): readonly OutlinedMove[] {
  const { text, offsetOf } = writtenText(file);
  const found = new Map<string, OutlinedMove>();
  let placeOf: ReturnType<typeof placesIn> | null = null;
  const calls = file.kind === "script" ? tagCalls(text) : [];
  const tags = [...mentionedTags(text), ...calls].toSorted((a, b) => a.start - b.start);
  for (const { element, start, closed } of tags) {
    if (!closed && TAG_TABLE[element.tag].content.holds !== "text") continue;
    const key = JSON.stringify(element);
    if (found.has(key)) continue;
    placeOf ??= placesIn(file);
    found.set(key, {
      by: element.tag,
      origin: "mentioned",
      at: placeOf(offsetOf(start)),
      destinations: destinationsOf(element, names, platform),
      values: valuesOf(element),
      rule: null,
      problem: problemOf(element),
    });
  }
  return [...found.values()];
}

function destinationsOf(
  element: Element,
  names: readonly StateName[],
  platform: Platform,
): readonly Destination[] {
  return partsOf(element.tag).flatMap((part) => {
    if (part.holds !== "state") return [];
    const written = writtenIn(element, part)?.trim();
    if (written === undefined) return [];
    return isFixed(written)
      ? [destination(part.name, written, names, platform)]
      : [openDestination(part.name)];
  });
}

function valuesOf(element: Element): OutlinedMove["values"] {
  const states = partsOf(element.tag).filter(({ holds }) => holds === "state");
  const others = element.attributes.filter(([name]) => states.every((part) => part.name !== name));
  const { content } = TAG_TABLE[element.tag];
  const text = element.content.trim();
  const value = content.holds === "text" ? text : decodeEntities(text);
  const own = content.holds === "state" ? [] : [[content.name, value] as const];
  return Object.fromEntries([...own, ...others]);
}

/** What is wrong with the tag. Values known only at run time are assumed to be valid. */
function problemOf(element: Element): string | null {
  const [content, ...own] = partsOf(element.tag);
  const attributes = element.attributes.map(([name, value]) => {
    const part = own.find((one) => one.name === name);
    const isOpen = part !== undefined && value !== "" && !isFixed(value);
    return [name, isOpen ? validValue(part) : value] as const;
  });
  const isOpen = content.holds !== "text" && !isFixed(element.content.trim());
  const target = isOpen ? validValue(content) : element.content;
  const read = readElement({ ...element, attributes, content: target });
  return read.ok ? null : read.fault.message;
}

function writtenIn({ attributes, content }: Element, part: Part): string | undefined {
  if (part.name === "target") return decodeEntities(content);
  return attributes.find(([name]) => name === part.name)?.[1];
}

function validValue(part: Part): string {
  switch (part.holds) {
    case "choice":
      return part.choices[0];
    case "duration":
      return "1s";
    case "count":
      return "0";
    case "state":
    case "workflow":
    case "folder":
    case "text":
    case "options":
    case "worktree":
      return part.open;
  }
}

/** Whether a value is literal, not a variable, a placeholder or `…`. */
function isFixed(value: string): boolean {
  return /[\p{L}\p{N}]/u.test(value) && !/[$%`!{}]/.test(value);
}
