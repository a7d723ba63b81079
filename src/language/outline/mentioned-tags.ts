import { type Mark, readMark } from "../protocol/mark.ts";
import { readAttributeList } from "../protocol/scan/attribute-list.ts";
import { isUnquoted, placeAfter, type TagPlace } from "../protocol/scan/candidate.ts";
import type { Element } from "../protocol/scan/element.ts";
import { TAG_TABLE } from "../protocol/tag-table.ts";

export interface MentionedTag {
  readonly element: Element;
  /** Offset of its `<`. */
  readonly start: number;
  /** False for an opening tag only, as in "end with <result> and a reason". */
  readonly closed: boolean;
}

/**
 * The tags that a text mentions, in order. The grammar is that of an output (docs/protocol.md,
 * "Grammar"), except that no tag extends beyond the next one: prose may name a tag without closing it.
 */
export function mentionedTags(text: string): readonly MentionedTag[] {
  const marks = marksIn(text);
  return marks.flatMap(({ mark, start, end }, index): readonly MentionedTag[] => {
    if (mark.kind !== "opening" || end === null) return [];
    const next = marks[index + 1];
    const raw = text.slice(start + mark.length, end);
    const isEmpty = raw.endsWith("/");
    const list = readAttributeList(isEmpty ? raw.slice(0, -1) : raw);
    const ends = next?.mark.kind === "closing" && next.mark.tag === mark.tag;
    const content = ends && !isEmpty ? text.slice(end + 1, next.start) : "";
    const opaque = TAG_TABLE[mark.tag].content.holds === "text";
    const closed = isEmpty || (ends && (opaque || !content.includes("<")));
    return [{ element: { tag: mark.tag, ...list, content }, start, closed }];
  });
}

interface PlacedMark {
  readonly mark: Exclude<Mark, { kind: "text" }>;
  readonly start: number;
  /** Offset of the `>` of an opening tag; null if it has none. */
  readonly end: number | null;
}

function marksIn(text: string): readonly PlacedMark[] {
  const marks: PlacedMark[] = [];
  for (let at = text.indexOf("<"); at !== -1 && marks.length < MAX_MARKS; ) {
    const mark = readMark(text, at, true);
    let behind = at + 1;
    if (mark !== null && mark.kind !== "text") {
      const end = mark.kind === "opening" ? openingEnd(text, at + mark.length) : null;
      marks.push({ mark, start: at, end });
      behind = (end ?? at + mark.length - 1) + 1;
    }
    at = text.indexOf("<", behind);
  }
  return marks;
}

/** Limit per file, against malicious input. */
const MAX_MARKS = 2_000;

/** Offset of the `>` of the opening tag whose name ends at `from`; null if it has none. */
function openingEnd(text: string, from: number): number | null {
  let place: Exclude<TagPlace, "content"> = "attributes";
  for (let at = from; at < Math.min(text.length, from + LONGEST_OPENING); at += 1) {
    const char = text[at] ?? "";
    if (isUnquoted(place) && char === "<") return null;
    if (isUnquoted(place) && char === ">") return at;
    const next: TagPlace = placeAfter(place, char);
    if (next === "content") return null;
    place = next;
  }
  return null;
}

const LONGEST_OPENING = 10_000;
