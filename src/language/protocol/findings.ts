import { type Element, MAX_PAYLOAD_CHARS, type ScanResult } from "./scan/element.ts";
import type { Tag } from "./transition.ts";

/** The elements found by a scan so far, in bounded memory. */
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

  addOversized(): void {
    this.#count += 1;
    this.#oversized = true;
  }

  /** Records an opening tag without a closing tag. */
  noteUnclosed(tag: Tag): void {
    this.#unclosed ??= tag;
  }

  /** Records that a text too long to be kept was not an element. */
  noteAbandoned(): void {
    this.#abandoned = true;
  }

  /** Appends the findings of a later part of the text. */
  append(later: Findings): void {
    for (const { element, size } of later.#kept) this.#keep(element, size);
    this.#count += later.#count;
    this.#unclosed ??= later.#unclosed;
    this.#oversized ||= later.#oversized;
    this.#abandoned ||= later.#abandoned;
  }

  reading(): ScanResult {
    return {
      elements: this.#kept.map(({ element }) => element),
      count: this.#count,
      unclosed: this.#count === 0 ? this.#unclosed : null,
      // If there is a valid element, an unclosed tag in a long log is only text.
      oversized: this.#oversized || (this.#abandoned && this.#count === 0),
    };
  }

  #keep(element: Element, size: number): void {
    if (this.#kept.length >= MAX_KEPT_ELEMENTS || this.#size + size > MAX_PAYLOAD_CHARS) return;
    this.#kept.push({ element, size });
    this.#size += size;
  }
}

/** The most elements that an output may contain, plus one to detect that there are too many. */
export const MAX_KEPT_ELEMENTS = 1_002;
