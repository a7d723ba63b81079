import { stat } from "node:fs/promises";
import { errorCode } from "../../language/basics/error-code.ts";
import { readPiece } from "../../log/codec/log-lines.ts";
import { headOf } from "../../log/codec/logged-event.ts";
import { historyReader, type RunHistory } from "../../log/event-history.ts";
import { type Traversal, traversalReader } from "../../log/traversal.ts";
import { newSpending, type SpentAt } from "./spending.ts";

/** Facts about a run from the part of its event log that has been read. */
export interface LogFacts {
  readonly log: "reading" | "read" | "missing";
  readonly history: RunHistory | null;
  readonly travels: Traversal;
  readonly spending: readonly SpentAt[];
}

/**
 * Reads an event log once, then only what was appended. Logs can be long: it yields to other work after each chunk.
 */
export class LogDigest {
  readonly #file: string;
  #facts = newFacts();
  #next = 0;
  #state: LogFacts["log"] = "reading";
  #reading: Promise<void> | null = null;

  constructor(file: string) {
    this.#file = file;
  }

  /** Resolves when everything that is in the log now has been read. */
  async read(): Promise<LogFacts> {
    // A read in progress may have missed the newest lines.
    await this.#reading;
    this.#reading ??= this.#readNew().finally(() => {
      this.#reading = null;
    });
    await this.#reading;
    return this.facts();
  }

  facts(): LogFacts {
    const { history, travels, spending } = this.#facts;
    return {
      log: this.#state,
      history: this.#state === "read" ? history.result() : null,
      travels: travels.result(),
      spending: spending.points(),
    };
  }

  async #readNew(): Promise<void> {
    try {
      const { size } = await stat(this.#file);
      if (size < this.#next) this.#reset();
      for (;;) {
        const { lines, next } = readPiece(this.#file, this.#next);
        for (const line of lines) this.#readLine(line);
        if (next === this.#next) break;
        this.#next = next;
        await new Promise((resolve) => setImmediate(resolve));
      }
      this.#state = "read";
    } catch (error) {
      if (errorCode(error) === null) throw error;
      this.#reset();
      this.#state = "missing";
    }
  }

  #reset(): void {
    this.#facts = newFacts();
    this.#next = 0;
  }

  #readLine(line: string): void {
    const { history, travels, spending } = this.#facts;
    history.read(line);
    travels.read(line);
    if (headOf(line)?.type === "step.ended") spending.read(line);
  }
}

function newFacts() {
  return { history: historyReader(), travels: traversalReader(), spending: newSpending() };
}
