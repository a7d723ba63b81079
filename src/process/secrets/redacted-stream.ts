import type { ByteRedaction } from "../../engine/ports/redaction.ts";

/** A text to replace, as one character per byte. */
export interface Pattern {
  readonly find: string;
  readonly shown: string;
}

/** Replaces patterns in a stream of bytes, also those that arrive in parts. */
export class RedactedStream implements ByteRedaction {
  /** Longest pattern first. They may grow while the stream is open. */
  readonly #patterns: () => readonly Pattern[];
  readonly #write: (chunk: Buffer) => void;
  /** The end of the stream so far, which may be the start of a pattern. */
  #held = "";

  constructor(patterns: () => readonly Pattern[], write: (chunk: Buffer) => void) {
    this.#patterns = patterns;
    this.#write = write;
  }

  push(chunk: Buffer): void {
    const patterns = this.#patterns();
    if (patterns.length === 0 && this.#held === "") {
      this.#write(chunk);
      return;
    }
    const text = this.#held + chunk.toString("latin1");
    const { clean, rest } = redact(text, patterns, true);
    this.#held = rest;
    this.#emit(clean);
  }

  end(): void {
    const { clean } = redact(this.#held, this.#patterns(), false);
    this.#held = "";
    this.#emit(clean);
  }

  #emit(text: string): void {
    if (text !== "") this.#write(Buffer.from(text, "latin1"));
  }
}

/**
 * Replaces complete patterns from left to right, the longest one at each position. With `more`,
 * `rest` is the first part that a later chunk could complete to a pattern.
 */
function redact(
  text: string,
  patterns: readonly Pattern[],
  more: boolean,
): { readonly clean: string; readonly rest: string } {
  const next = patterns.map(({ find }) => text.indexOf(find));
  let clean = "";
  let at = 0;
  let held = more ? startOfRest(text, at, patterns) : text.length;
  for (;;) {
    let first = -1;
    for (const [index, pattern] of patterns.entries()) {
      const known = next[index] ?? -1;
      const found = known === -1 || known >= at ? known : text.indexOf(pattern.find, at);
      next[index] = found;
      if (found !== -1 && (first === -1 || found < (next[first] ?? -1))) first = index;
    }
    const start = first === -1 ? -1 : (next[first] ?? -1);
    const pattern = patterns[first];
    if (pattern === undefined || start >= held) break;
    clean += text.slice(at, start) + pattern.shown;
    at = start + pattern.find.length;
    if (held < at) held = startOfRest(text, at, patterns);
  }
  return { clean: clean + text.slice(at, held), rest: text.slice(held) };
}

/** The first position from `at` whose rest of the text is the start of a longer pattern. */
function startOfRest(text: string, at: number, patterns: readonly Pattern[]): number {
  let first = text.length;
  for (const { find } of patterns) {
    let from = Math.max(at, text.length - find.length + 1);
    for (;;) {
      from = text.indexOf(find.charAt(0), from);
      if (from === -1 || from >= first) break;
      if (find.startsWith(text.slice(from))) first = from;
      from += 1;
    }
  }
  return first;
}
