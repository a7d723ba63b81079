import { stat } from "node:fs/promises";
import { errorCode } from "../../language/basics/error-code.ts";
import { readPiece } from "../../log/codec/log-lines.ts";
import { headOf, parseLogLine } from "../../log/codec/logged-event.ts";
import { historyReader, type RunHistory } from "../../log/event-history.ts";
import { type Traversal, traversalReader } from "../../log/traversal.ts";

/** Facts about a run from the part of its event log that has been read. */
export interface LogFacts {
  readonly log: "reading" | "read" | "missing";
  readonly history: RunHistory | null;
  readonly traversal: Traversal;
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
    const { history, traversal, spending } = this.#facts;
    return {
      log: this.#state,
      history: this.#state === "read" ? history.result() : null,
      traversal: traversal.result(),
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
    const { history, traversal, spending } = this.#facts;
    history.read(line);
    traversal.read(line);
    if (headOf(line)?.type === "step.ended") spending.read(line);
  }
}

function newFacts() {
  return { history: historyReader(), traversal: traversalReader(), spending: newSpending() };
}

/** Cumulative cost at a time. */
interface SpentAt {
  /** Epoch ms. */
  readonly at: number;
  readonly totalMicroUsd: number;
}

/** Collects the cumulative cost over time from `step.ended` lines: at most {@link MAX_POINTS} points. */
function newSpending(): { read(line: string): void; points(): readonly SpentAt[] } {
  let points: SpentAt[] = [];
  let last: SpentAt | null = null;
  /** Steps per point. */
  let every = 1;
  let skipped = 0;
  return {
    read(line) {
      const logged = parseLogLine(line);
      if (logged === null || logged.event.type !== "step.ended") return;
      last = { at: logged.at, totalMicroUsd: logged.event.totalMicroUsd };
      skipped += 1;
      if (skipped < every) return;
      skipped = 0;
      points.push(last);
      if (points.length < MAX_POINTS) return;
      points = points.filter((_, index) => index % 2 === 1);
      every *= 2;
    },
    points: () => (last === null || points.at(-1) === last ? points : [...points, last]),
  };
}

/** More are not visible in the chart. */
const MAX_POINTS = 600;
