import { Findings } from "../findings.ts";
import { isBlank, type Mark } from "../mark.ts";
import { TAG_TABLE } from "../tag-table.ts";
import type { Tag } from "../transition.ts";

/** The scan state of a candidate: in its attributes, after `/` or `=`, in a quoted value, or in its content. */
export type TagPlace = "attributes" | "slash" | "equals" | '"' | "'" | "content";

/** An opening tag that may become an element. Offsets count from the start of the text. */
export interface Candidate {
  readonly tag: Tag;
  /** Of its `<`. */
  readonly start: number;
  /** Of the first character after its name. */
  readonly nameEnd: number;
  place: TagPlace;
  /** Both are set once its opening tag is complete. */
  attributesEnd: number;
  contentStart: number;
  /** Findings after its `<`. They count if this candidate fails. */
  readonly inside: Findings;
}

export function newCandidate(tag: Tag, start: number, nameEnd: number): Candidate {
  const inside = new Findings();
  return { tag, start, nameEnd, place: "attributes", attributesEnd: 0, contentStart: 0, inside };
}

/** The next scan state after a character other than `<` and an unquoted `>`. */
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
      // A quote opens a value only after `=`, so that `task='don't'` is one malformed tag.
      if (char === "=") return "equals";
      return char === "/" ? "slash" : "attributes";
  }
}

/** Whether `>` ends the opening tag here and `<` makes it invalid. */
export function isUnquoted(place: TagPlace): place is "attributes" | "slash" | "equals" {
  return place === "attributes" || place === "slash" || place === "equals";
}

/** The effect of a `<` on a candidate before it. */
export function candidateStatusAt(candidate: Candidate, mark: Mark): "closed" | "open" | "failed" {
  if (candidate.place !== "content") return isUnquoted(candidate.place) ? "failed" : "open";
  if (mark.kind === "closing" && mark.tag === candidate.tag) return "closed";
  return TAG_TABLE[candidate.tag].content.holds === "text" ? "open" : "failed";
}
