import { nearest } from "../nearest.ts";
import type { Outline, ReadState } from "../outline/outline.ts";
import { placesIn } from "../outline/places.ts";
import { writtenText } from "../outline/written-text.ts";
import type { Position } from "../place.ts";
import { excerpt } from "../protocol/excerpt.ts";
import { TAG_TABLE } from "../protocol/tag-table.ts";
import { type StateName, TAGS, type Tag } from "../protocol/transition.ts";
import { resolveState } from "../workflow/resolve.ts";

/** A tag as it was written, and what was probably meant. */
export interface MisspelledTag {
  readonly state: StateName;
  readonly source: string;
  readonly at: Position;
  readonly written: string;
  readonly meant: string;
  /** The state that its content names; null where it names none. */
  readonly target: StateName | null;
}

/**
 * Tags in other case (`<Goto>`), with a letter too many or too few (`<gotto>`), or
 * whose closing tag lacks its slash. XML of a prompt's own, such as `<task>`, is near
 * to some tag as well: such a one counts only where its content names a state.
 */
export function misspelledTags(
  { file, name: state, source }: ReadState,
  { names, platform }: Pick<Outline, "names" | "platform">,
): readonly MisspelledTag[] {
  const { text, offsetOf } = writtenText(file);
  const placeOf = placesIn(file);
  const found = new Map<string, MisspelledTag>();
  for (const match of text.matchAll(PAIR)) {
    const [whole, opening = "", content = "", slash, closing = ""] = match;
    const tag = meantBy(opening);
    if (tag === null || tag !== meantBy(closing)) continue;
    if (opening === tag && closing === tag && slash !== "") continue;
    const resolved = resolveState(names, content.trim(), platform);
    const target = resolved.ok ? resolved.name : null;
    const holdsState = TAG_TABLE[tag].content.holds === "state";
    const sameButCase = opening.toLowerCase() === tag && closing.toLowerCase() === tag;
    const isMeant = holdsState ? target !== null : slash !== "" && isNoWord(opening, tag);
    if (!isMeant && !(sameButCase && slash !== "")) continue;
    if (found.has(whole)) continue;
    const written = excerpt(whole);
    const at = placeOf(offsetOf(match.index));
    found.set(whole, {
      ...{ state, source, at, written, target },
      meant: `<${tag}>${excerpt(content, 30)}</${tag}>`,
    });
  }
  return [...found.values()];
}

/** Neither a generic type such as `Promise<Result>`, nor anything that is longer than people write. */
const PAIR =
  /(?<![\w)\]])<([A-Za-z][A-Za-z-]{1,24})(?:[ \t][^<>\n]{0,200})?>([^<>]{0,200})<(\/?)([A-Za-z][A-Za-z-]{1,24})>/g;

function meantBy(word: string): Tag | null {
  const guess = nearest(word, TAGS, 2);
  return TAGS.find((tag) => tag === guess) ?? null;
}

/** Whether it is no word of its own, as `results` and `task` are. */
function isNoWord(word: string, tag: Tag): boolean {
  return tag === "result" && !/^results?$/.test(word) && word.length >= 5;
}
