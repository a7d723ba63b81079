/**
 * The part of a text stream that may still be needed, addressed by offsets from its start. The cost
 * of appending, dropping and slicing is proportional to the text involved.
 */
export class TextWindow {
  /** Flat strings, oldest first. The first one starts at `#start`. */
  #pieces: string[] = [];
  #start = 0;
  /** The latest small parts, not joined yet: joining each time would be quadratic. */
  #tail: string[] = [];
  #tailLength = 0;
  #end = 0;

  /** The offset after the last character appended. */
  get end(): number {
    return this.#end;
  }

  append(text: string): void {
    this.#tail.push(text);
    this.#tailLength += text.length;
    this.#end += text.length;
    if (this.#tailLength >= PIECE) this.#settleTail();
  }

  /** Drops whole pieces before `offset`. */
  dropBefore(offset: number): void {
    if (offset >= this.#end) {
      this.#pieces = [];
      this.#tail = [];
      this.#tailLength = 0;
      this.#start = this.#end;
      return;
    }
    let dropped = 0;
    for (const piece of this.#pieces) {
      if (this.#start + piece.length > offset) break;
      this.#start += piece.length;
      dropped += 1;
    }
    if (dropped > 0) this.#pieces.splice(0, dropped);
  }

  /** The text from `from` to `to`, which must not have been dropped. */
  slice(from: number, to: number): string {
    if (from >= to) return "";
    const parts: string[] = [];
    this.#tail = [this.#tail.join("")];
    let pieceEnd = this.#end;
    // Backwards: the requested text is usually near the end.
    for (let i = this.#pieces.length; i >= 0 && pieceEnd > from; i--) {
      const piece = (i === this.#pieces.length ? this.#tail[0] : this.#pieces[i]) ?? "";
      const pieceStart = pieceEnd - piece.length;
      if (pieceStart < to) {
        parts.push(piece.slice(Math.max(0, from - pieceStart), to - pieceStart));
      }
      pieceEnd = pieceStart;
    }
    return parts.reverse().join("");
  }

  #settleTail(): void {
    this.#pieces.push(this.#tail.join(""));
    this.#tail = [];
    this.#tailLength = 0;
  }
}

/** Characters. Small, so that slicing a growing tail stays cheap. */
const PIECE = 4096;
