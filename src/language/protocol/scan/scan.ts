import { Findings } from "../findings.ts";
import { type Mark, PLAIN, readMark } from "../mark.ts";
import { readAttributeList } from "./attribute-list.ts";
import {
  type Candidate,
  candidateStatusAt,
  isUnquoted,
  newCandidate,
  placeAfter,
} from "./candidate.ts";
import { MAX_PAYLOAD_CHARS, type ScanResult } from "./element.ts";
import { TextWindow } from "./text-window.ts";

/**
 * Finds the tags in a streamed text: the only implementation of docs/protocol.md, "Grammar". The
 * result does not depend on how the text is split. Time is linear in the text, memory is limited to
 * one candidate of {@link MAX_PAYLOAD_CHARS}. Use a scanner once: not after `end`.
 *
 * S1. The earliest candidate that becomes an element wins, and the findings inside it are discarded.
 *     Until then later candidates are tracked as well, so that no text is scanned twice.
 * S2. Of two candidates with the same tag in the same scan state, the later one is dropped: both
 *     would end in the same way. So there are never more than about a dozen.
 * S3. The window holds every candidate that can still become an element of permitted length.
 */
export class OutputScanner {
  readonly #window = new TextWindow();
  readonly #found = new Findings();
  /** By `start`, ascending. */
  readonly #open: Candidate[] = [];
  /** A `<` at the end of the input so far that more text could complete to a tag. */
  #undecided = "";

  push(text: string): void {
    this.#window.append(text);
    this.#undecided = this.#read(this.#undecided + text, { code: false, whole: false });
    this.#trim();
  }

  /** Adds text that can be content but contains no tags: a code region inside a payload. */
  pushCode(text: string): void {
    this.#settle();
    this.#window.append(text);
    this.#read(text, { code: true, whole: true });
    this.#trim();
  }

  /** Ends the text. */
  end(): ScanResult {
    this.#settle();
    for (const candidate of this.#open.toReversed()) this.#fail(candidate, this.#window.end);
    return this.#found.reading();
  }

  #settle(): void {
    this.#undecided = this.#read(this.#undecided, { code: false, whole: true });
  }

  /** Scans the end of the window. Returns the part that is not decided yet. */
  #read(text: string, how: { readonly code: boolean; readonly whole: boolean }): string {
    const base = this.#window.end - text.length;
    let at = 0;
    for (;;) {
      at = this.#skip(text, at);
      const char = text[at];
      if (char === undefined) return "";
      if (char === "<") {
        const mark = how.code ? PLAIN : readMark(text, at, how.whole);
        if (mark === null) return text.slice(at);
        this.#readMark(mark, base + at);
        at += mark.length;
      } else {
        this.#step(char, base + at, how.code);
        at += 1;
      }
    }
  }

  /** The next position that can change a candidate. */
  #skip(text: string, at: number): number {
    if (this.#open.some(({ place }) => isUnquoted(place))) return at;
    if (this.#open.every(({ place }) => place === "content")) {
      const next = text.indexOf("<", at);
      return next === -1 ? text.length : next;
    }
    const stop = /["'<]/g;
    stop.lastIndex = at;
    return stop.exec(text)?.index ?? text.length;
  }

  #readMark(mark: Mark, at: number): void {
    for (let index = 0; ; ) {
      const candidate = this.#open[index];
      if (candidate === undefined) break;
      switch (candidateStatusAt(candidate, mark)) {
        case "closed":
          this.#succeed(index, candidate, { contentEnd: at, end: at + mark.length });
          return;
        case "failed":
          this.#fail(candidate, at);
          break;
        case "open":
          index += 1;
          break;
      }
    }
    if (mark.kind === "opening") this.#begin(newCandidate(mark.tag, at, at + mark.length));
  }

  #begin(candidate: Candidate): void {
    this.#open.push(candidate);
    for (const later of this.#open.toReversed()) {
      const first = this.#open.find((c) => c.tag === later.tag && c.place === later.place);
      if (first !== later) this.#fail(later, candidate.start); // S2
    }
  }

  /** Adds a character other than `<` to the open candidates. */
  #step(char: string, at: number, code: boolean): void {
    for (let index = 0; ; ) {
      const candidate = this.#open[index];
      if (candidate === undefined) return;
      const { place } = candidate;
      if (place === "content") {
        index += 1;
      } else if (char !== ">" || !isUnquoted(place)) {
        candidate.place = placeAfter(place, char);
        index += 1;
      } else if (code) {
        this.#fail(candidate, at);
      } else {
        candidate.attributesEnd = place === "slash" ? at - 1 : at;
        candidate.contentStart = at + 1;
        candidate.place = "content";
        if (place === "slash") {
          this.#succeed(index, candidate, { contentEnd: at + 1, end: at + 1 });
          return;
        }
        index += 1;
      }
    }
  }

  /** Turns a candidate into an element and discards the candidates inside it (S1). */
  #succeed(
    index: number,
    candidate: Candidate,
    { contentEnd, end }: { readonly contentEnd: number; readonly end: number },
  ): void {
    const { tag, start, nameEnd, attributesEnd, contentStart } = candidate;
    const findings = this.#findingsAround(index);
    if (end - start > MAX_PAYLOAD_CHARS) {
      findings.addOversized();
    } else {
      const list = readAttributeList(this.#window.slice(nameEnd, attributesEnd));
      const content = this.#window.slice(contentStart, contentEnd);
      findings.add({ tag, ...list, content }, end - start);
    }
    this.#open.length = index;
  }

  #fail(candidate: Candidate, at: number): void {
    const index = this.#open.indexOf(candidate);
    const findings = this.#findingsAround(index);
    this.#open.splice(index, 1);
    if (candidate.place === "content") findings.noteUnclosed(candidate.tag);
    if (at - candidate.start > MAX_PAYLOAD_CHARS) findings.noteAbandoned();
    findings.append(candidate.inside);
  }

  /** The findings that the candidate at this index adds to: those of the enclosing candidate, if any. */
  #findingsAround(index: number): Findings {
    return this.#open[index - 1]?.inside ?? this.#found;
  }

  #trim(): void {
    const { end } = this.#window;
    const held = this.#open.find(({ start }) => end - start <= MAX_PAYLOAD_CHARS); // S3
    this.#window.dropBefore(held?.start ?? end - this.#undecided.length);
  }
}
