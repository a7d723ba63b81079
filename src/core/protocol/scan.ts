import { readAttributeList } from "./attribute-list.ts";
import { type Candidate, fateAt, isUnquoted, newCandidate, placeAfter } from "./candidate.ts";
import { MAX_PAYLOAD_CHARS, type Reading } from "./element.ts";
import { Findings } from "./findings.ts";
import { type Mark, PLAIN, readMark } from "./mark.ts";
import { TextWindow } from "./text-window.ts";

/**
 * Finds the tags in a text that arrives in pieces: the one implementation of
 * docs/protocol.md, "Grammar". The reading does not depend on how the text was
 * cut. Time is linear in the text and memory bounded by one candidate of
 * {@link MAX_PAYLOAD_CHARS}, whatever comes. Used once: after `end`, no more.
 *
 * S1. The earliest candidate that becomes an element wins, and what was found
 *     inside it is forgotten. Until it does, later ones are tried beside it, so
 *     that nothing has to be read twice when it comes to nothing.
 * S2. Two candidates with the same tag in the same place share their fate, so
 *     the later one is dropped. Hence there are never more than a dozen or so:
 *     a `<` leaves alive only the quoted ones and a `result` that is open.
 * S3. The window holds every candidate that may still become an element of
 *     permitted length, from its `<` on.
 */
export class OutputScanner {
  readonly #window = new TextWindow();
  readonly #found = new Findings();
  /** By `start`, ascending. */
  readonly #open: Candidate[] = [];
  /** A `<` at the end of what came so far, that more text could make a tag. */
  #undecided = "";

  push(text: string): void {
    this.#window.append(text);
    this.#undecided = this.#read(this.#undecided + text, { code: false, whole: false });
    this.#trim();
  }

  /**
   * Takes text in which no tag begins, ends or closes, and which is content all
   * the same: a code region inside of a payload.
   */
  pushCode(text: string): void {
    this.#settle();
    this.#window.append(text);
    this.#read(text, { code: true, whole: true });
    this.#trim();
  }

  /** Says that the text is over, and what was in it. */
  end(): Reading {
    this.#settle();
    for (const candidate of this.#open.toReversed()) this.#fail(candidate, this.#window.end);
    return this.#found.reading();
  }

  #settle(): void {
    this.#undecided = this.#read(this.#undecided, { code: false, whole: true });
  }

  /** Reads the end of the window. Returns the part that cannot be decided yet. */
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
        this.#meet(mark, base + at);
        at += mark.length;
      } else {
        this.#step(char, base + at, how.code);
        at += 1;
      }
    }
  }

  /** The next position that matters to the candidates there are. */
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

  #meet(mark: Mark, at: number): void {
    for (let index = 0; ; ) {
      const candidate = this.#open[index];
      if (candidate === undefined) break;
      switch (fateAt(candidate, mark)) {
        case "closed":
          this.#succeed(index, candidate, { contentEnd: at, end: at + mark.length });
          return;
        case "fails":
          this.#fail(candidate, at);
          break;
        case "lives":
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

  /** Takes a character other than `<` into the opening tags that are being read. */
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

  /** Makes an element of a candidate, and forgets what was tried inside it (S1). */
  #succeed(
    index: number,
    candidate: Candidate,
    { contentEnd, end }: { readonly contentEnd: number; readonly end: number },
  ): void {
    const { tag, start, nameEnd, attributesEnd, contentStart } = candidate;
    const home = this.#homeOf(index);
    if (end - start > MAX_PAYLOAD_CHARS) {
      home.addOversized();
    } else {
      const list = readAttributeList(this.#window.slice(nameEnd, attributesEnd));
      const content = this.#window.slice(contentStart, contentEnd);
      home.add({ tag, ...list, content }, end - start);
    }
    this.#open.length = index;
  }

  #fail(candidate: Candidate, at: number): void {
    const index = this.#open.indexOf(candidate);
    const home = this.#homeOf(index);
    this.#open.splice(index, 1);
    if (candidate.place === "content") home.noteUnclosed(candidate.tag);
    if (at - candidate.start > MAX_PAYLOAD_CHARS) home.noteAbandoned();
    home.append(candidate.inside);
  }

  /** Where a finding at this place in the order goes: into the candidate around it, if any. */
  #homeOf(index: number): Findings {
    return this.#open[index - 1]?.inside ?? this.#found;
  }

  #trim(): void {
    const { end } = this.#window;
    const held = this.#open.find(({ start }) => end - start <= MAX_PAYLOAD_CHARS); // S3
    this.#window.dropBefore(held?.start ?? end - this.#undecided.length);
  }
}
