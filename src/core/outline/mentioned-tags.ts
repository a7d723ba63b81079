import { readAttributeList } from "../protocol/attribute-list.ts";
import { isUnquoted, placeAfter, type TagPlace } from "../protocol/candidate.ts";
import type { Element } from "../protocol/element.ts";
import { type Mark, readMark } from "../protocol/mark.ts";
import { TAG_TABLE } from "../protocol/tag-table.ts";

/** A tag that stands in a text. */
export interface MentionedTag {
  readonly element: Element;
  /** Offset of its `<`. */
  readonly start: number;
  /** False for an opening tag alone, as in "end with <result> and why". */
  readonly closed: boolean;
}

/**
 * The tags in a text that is no output but tells of some, in its order. What a
 * mark is, and what its attributes are, is as in an output (docs/protocol.md,
 * "Grammar"); but since prose may name a tag without closing it, none reaches
 * beyond the next one.
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
  /** Of an opening one: where its `>` stands; null where it has none. */
  readonly end: number | null;
}

function marksIn(text: string): readonly PlacedMark[] {
  const marks: PlacedMark[] = [];
  for (let at = text.indexOf("<"); at !== -1 && marks.length < MOST; ) {
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

/** So many are looked at in one file: a bound for files that are made to be slow. */
const MOST = 2_000;

/** Where the opening tag ends whose name ends here; null where it does not. */
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
