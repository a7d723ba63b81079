import { stat } from "node:fs/promises";
import { errorCode } from "../core/error-code.ts";
import { historyReader, type RunHistory } from "../observers/event-history.ts";
import { readPiece } from "../observers/log-lines.ts";
import { headOf } from "../observers/logged-event.ts";
import { type Travels, travelReader } from "../observers/travelled.ts";
import { newSpending, type SpentAt } from "./spending.ts";

/** What an event log tells of its run as a whole, as far as it has been read. */
export interface LogFacts {
  readonly log: "reading" | "read" | "missing";
  readonly history: RunHistory | null;
  readonly travels: Travels;
  readonly spending: readonly SpentAt[];
}

/**
 * Reads an event log once, and from then on what is added to it. It is read piece by piece, and others have
 * their turn between two of them: a log can be long.
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

  /** All that was in the log when this was asked. */
  async read(): Promise<LogFacts> {
    // What was being read may have ended before what has come since.
    await this.#reading;
    this.#reading ??= this.#readOn().finally(() => {
      this.#reading = null;
    });
    await this.#reading;
    return this.told();
  }

  /** What is known by now. */
  told(): LogFacts {
    const { history, travels, spending } = this.#facts;
    return {
      log: this.#state,
      history: this.#state === "read" ? history.told() : null,
      travels: travels.told(),
      spending: spending.told(),
    };
  }

  async #readOn(): Promise<void> {
    try {
      const { size } = await stat(this.#file);
      if (size < this.#next) this.#beginAnew();
      for (;;) {
        const { lines, next } = readPiece(this.#file, this.#next);
        for (const line of lines) this.#take(line);
        if (next === this.#next) break;
        this.#next = next;
        await new Promise((resolve) => setImmediate(resolve));
      }
      this.#state = "read";
    } catch (error) {
      if (errorCode(error) === null) throw error;
      this.#beginAnew();
      this.#state = "missing";
    }
  }

  #beginAnew(): void {
    this.#facts = newFacts();
    this.#next = 0;
  }

  #take(line: string): void {
    const { history, travels, spending } = this.#facts;
    history.read(line);
    travels.read(line);
    if (headOf(line)?.type === "step.ended") spending.read(line);
  }
}

function newFacts() {
  return { history: historyReader(), travels: travelReader(), spending: newSpending() };
}
