import { nearest } from "../../language/basics/nearest.ts";
import type { Position } from "../../language/basics/place.ts";
import { type Outline, placesIn, type ReadState } from "../../language/outline/outline.ts";
import { writtenText } from "../../language/outline/written-text.ts";
import { excerpt } from "../../language/protocol/scan/excerpt.ts";
import { TAG_TABLE } from "../../language/protocol/tag-table.ts";
import { type StateName, TAGS, type Tag } from "../../language/protocol/transition.ts";
import { stemOf } from "../../language/workflow/files/state-name.ts";
import { resolveState } from "../../language/workflow/resolve.ts";

export interface MisspelledTag {
  readonly state: StateName;
  readonly source: string;
  readonly at: Position;
  readonly written: string;
  readonly meant: string;
  /** The state that its content names; null if there is no such state. */
  readonly target: StateName | null;
}

/**
 * Tags in the wrong case (`<Goto>`), with a typo (`<gotto>`), or with a closing tag without a slash.
 * XML of the prompt such as `<task>` resembles some tag too: it is reported only if its content
 * names a state, or looks like the name of one.
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
    const isMeant = holdsState
      ? target !== null || (slash !== "" && looksLikeState(content.trim(), opening))
      : slash !== "" && isNoWord(opening, tag);
    if (!isMeant && !(sameButCase && slash !== "")) continue;
    if (found.has(whole)) continue;
    const written = excerpt(whole);
    const near = resolved.ok ? null : nearest(content.trim(), names.map(stemOf));
    const at = placeOf(offsetOf(match.index));
    found.set(whole, {
      ...{ state, source, at, written, target },
      meant: `<${tag}>${near ?? excerpt(content, 30)}</${tag}>`,
    });
  }
  return [...found.values()];
}

/** Excludes generic types such as `Promise<Result>`; lengths are limited to keep the match fast. */
const PAIR =
  /(?<![\w)\]])<([A-Za-z][A-Za-z-]{1,24})(?:[ \t][^<>\n]{0,200})?>([^<>]{0,200})<(\/?)([A-Za-z][A-Za-z-]{1,24})>/g;

function meantBy(word: string): Tag | null {
  const guess = nearest(word, TAGS, 2);
  return TAGS.find((tag) => tag === guess) ?? null;
}

/** A content in upper case, such as `NEXT_STEP`, in an element that is not a common word. */
function looksLikeState(content: string, word: string): boolean {
  return /^[A-Z][A-Z0-9_]+(?:\.\w+)?$/.test(content) && !WORDS.has(word);
}

/** Element names that resemble a tag. */
const WORDS: ReadonlySet<string> = new Set([
  ...["all", "ball", "calls", "cell", "coin", "font", "form", "functions", "port", "preset"],
  ...["presets", "rest", "root", "work"],
]);

/** False for common element names such as `results` and `task`. */
function isNoWord(word: string, tag: Tag): boolean {
  return tag === "result" && !/^results?$/.test(word) && word.length >= 5;
}
