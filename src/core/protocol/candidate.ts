import { Findings } from "./findings.ts";
import { isBlank, type Mark } from "./mark.ts";
import { TAG_TABLE } from "./tag-table.ts";
import type { Tag } from "./transition.ts";

/**
 * Where a candidate stands: among its attributes, after an unquoted `/`, after
 * an `=`, inside a quoted value, or behind its opening tag.
 */
export type TagPlace = "attributes" | "slash" | "equals" | '"' | "'" | "content";

/** An opening tag that may yet become an element. Offsets count from the text's beginning. */
export interface Candidate {
  readonly tag: Tag;
  /** Of its `<`. */
  readonly start: number;
  /** Of the first character after its name. */
  readonly nameEnd: number;
  place: TagPlace;
  /** Where its attributes end and its content begins, once its opening tag is complete. */
  attributesEnd: number;
  contentStart: number;
  /** What was found behind its `<`: it counts if this candidate comes to nothing. */
  readonly inside: Findings;
}

/** A candidate that has just read its name. */
export function newCandidate(tag: Tag, start: number, nameEnd: number): Candidate {
  const inside = new Findings();
  return { tag, start, nameEnd, place: "attributes", attributesEnd: 0, contentStart: 0, inside };
}

/** Where a character other than `<` and an unquoted `>` leads inside an opening tag. */
export function placeAfter(place: Exclude<TagPlace, "content">, char: string): TagPlace {
  switch (place) {
    case '"':
    case "'":
      return char === place ? "attributes" : place;
    case "equals":
      if (char === '"' || char === "'") return char;
      return isBlank(char) ? "equals" : placeAfter("attributes", char);
    case "attributes":
    case "slash":
      // A quote opens a value only after `=`, so that `task='don't'` stays one malformed tag.
      if (char === "=") return "equals";
      return char === "/" ? "slash" : "attributes";
  }
}

/** True where an unquoted `>` ends the opening tag, and an unquoted `<` unmakes it. */
export function isUnquoted(place: TagPlace): place is "attributes" | "slash" | "equals" {
  return place === "attributes" || place === "slash" || place === "equals";
}

/** What a `<` does to a candidate that stands before it. */
export function fateAt(candidate: Candidate, mark: Mark): "closed" | "lives" | "fails" {
  if (candidate.place !== "content") return isUnquoted(candidate.place) ? "fails" : "lives";
  if (mark.kind === "closing" && mark.tag === candidate.tag) return "closed";
  return TAG_TABLE[candidate.tag].content.holds === "text" ? "lives" : "fails";
}
