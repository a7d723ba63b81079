import { type Element, MAX_PAYLOAD_CHARS, type Reading } from "./element.ts";
import type { Tag } from "./transition.ts";

/** What a scan has found so far, in bounded memory: a {@link Reading} that grows. */
export class Findings {
  readonly #kept: { readonly element: Element; readonly size: number }[] = [];
  #size = 0;
  #count = 0;
  #unclosed: Tag | null = null;
  #oversized = false;
  #abandoned = false;

  /** Counts an element of `size` characters, and keeps it while there is room. */
  add(element: Element, size: number): void {
    this.#count += 1;
    this.#keep(element, size);
  }

  /** Counts an element that is too long to be kept. */
  addOversized(): void {
    this.#count += 1;
    this.#oversized = true;
  }

  /** Notes an opening tag that turned out to have no closing tag. */
  noteUnclosed(tag: Tag): void {
    this.#unclosed ??= tag;
  }

  /** Notes that something too long to be kept turned out to be no element. */
  noteAbandoned(): void {
    this.#abandoned = true;
  }

  /** Takes over what was found later in the text. */
  append(later: Findings): void {
    for (const { element, size } of later.#kept) this.#keep(element, size);
    this.#count += later.#count;
    this.#unclosed ??= later.#unclosed;
    this.#oversized ||= later.#oversized;
    this.#abandoned ||= later.#abandoned;
  }

  reading(): Reading {
    return {
      elements: this.#kept.map(({ element }) => element),
      count: this.#count,
      unclosed: this.#count === 0 ? this.#unclosed : null,
      // Beside a good element, a stray opening tag in a long log is only text.
      oversized: this.#oversized || (this.#abandoned && this.#count === 0),
    };
  }

  #keep(element: Element, size: number): void {
    if (this.#kept.length >= KEPT || this.#size + size > MAX_PAYLOAD_CHARS) return;
    this.#kept.push({ element, size });
    this.#size += size;
  }
}

/** How many elements are kept: all that one output may hold, and one more, which tells that there are too many. */
export const KEPT = 1_002;
