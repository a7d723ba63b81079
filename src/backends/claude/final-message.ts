import { readReply } from "../../core/protocol/reply.ts";

/**
 * Finds the final message of a call (docs/claude.md, "What is read"): the main
 * thread's texts after the last tool result, joined with nothing between, so
 * that a reply which the client had to continue is whole. A call may have
 * several turns (something in the background has ended): then the last whose
 * text holds a tag speaks, else the last that has any.
 */
export class FinalMessage {
  #turn: string | null = null;
  #chosen: { readonly text: string; readonly tagged: boolean } | null = null;

  /** Null without any text. */
  get text(): string | null {
    return this.#best()?.text ?? null;
  }

  say(text: string): void {
    this.#turn = (this.#turn ?? "") + text;
  }

  /** A tool has answered: what was said before was narration. */
  toolAnswered(): void {
    this.#turn = null;
  }

  /** A turn is over; one of no turns at all (a slash command) has said nothing. */
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
