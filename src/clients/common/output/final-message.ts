import { readReply } from "../../../language/protocol/reply.ts";

/**
 * Collects the final message of a call (docs/claude.md, "Output"): the texts of the main thread after the last tool
 * result, joined without separator, since the client may split a reply. Of several turns (after background tasks) it is
 * the last one with a tag, or else the last one with text.
 */
export class FinalMessage {
  #turn: string | null = null;
  #chosen: { readonly text: string; readonly tagged: boolean } | null = null;

  get text(): string | null {
    return this.#best()?.text ?? null;
  }

  say(text: string): void {
    this.#turn = (this.#turn ?? "") + text;
  }

  /** Text before a tool result is not the final message. */
  toolAnswered(): void {
    this.#turn = null;
  }

  /** The client did not accept the text so far as an answer, e.g. because a hook rejected it. */
  rejected(): void {
    this.#turn = null;
    this.#chosen = null;
  }

  /** `counts`: false for a result without turns (a slash command). */
  turnEnded(counts: boolean): void {
    if (counts) this.#chosen = this.#best();
    this.#turn = null;
  }

  #best(): { readonly text: string; readonly tagged: boolean } | null {
    if (this.#turn === null || this.#turn === "") return this.#chosen;
    const tagged = readReply(this.#turn).count > 0;
    if (!tagged && this.#chosen?.tagged === true) return this.#chosen;
    return { text: this.#turn, tagged };
  }
}
