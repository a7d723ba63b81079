import { NO_TOKENS, type Tokens } from "../../core/machine/spend.ts";
import { type JsonObject, numberAt, objectAt, textAt } from "./json.ts";

/** Characters of text that count as one token where a stream was cut off before it said its size. */
const CHARS_PER_TOKEN = 4;
/** The most that one call can have used; a larger figure is not believed, for sums must stay whole numbers. */
const MOST_TOKENS = 1e12;

/**
 * Counts the tokens of one call. Each `result` brings the sum of its turn; what
 * came since the last one is known from partial messages only, and that is
 * what a killed process leaves to estimate from (contract point 5).
 */
export class TokenMeter {
  #settled = NO_TOKENS;
  #finished = NO_TOKENS;
  #message = NO_TOKENS;
  #chars = 0;

  get tokens(): Tokens {
    return add(this.#settled, this.#pending());
  }

  /** The `event` of a `stream_event`. True when it brought a figure of the API, and not only text. */
  partial(event: JsonObject): boolean {
    switch (textAt(event, "type") ?? "") {
      case "message_start":
        this.#finished = this.#pending();
        this.#chars = 0;
        this.#message = readUsage(objectAt(objectAt(event, "message"), "usage"), NO_TOKENS);
        return true;
      case "content_block_delta":
        this.#chars += deltaLength(objectAt(event, "delta"));
        return false;
      case "message_delta":
        this.#message = readUsage(objectAt(event, "usage"), this.#message);
        // The real figure stands now: no guess from the length is needed.
        this.#chars = 0;
        return true;
      default:
        return false;
    }
  }

  /** The `usage` of a `result`; one that counts nothing (at the cap) is not believed. */
  result(usage: JsonObject): void {
    const reported = readUsage(usage, NO_TOKENS);
    const counts = reported.input + reported.output + reported.cacheRead + reported.cacheWrite > 0;
    this.#settled = add(this.#settled, counts ? reported : this.#pending());
    this.#finished = NO_TOKENS;
    this.#message = NO_TOKENS;
    this.#chars = 0;
  }

  #pending(): Tokens {
    const guessed = Math.ceil(this.#chars / CHARS_PER_TOKEN);
    const message = { ...this.#message, output: Math.max(this.#message.output, guessed) };
    return add(this.#finished, message);
  }
}

function readUsage(usage: JsonObject, before: Tokens): Tokens {
  const read = (name: string, fallback: number): number => {
    const count = numberAt(usage, name);
    const believed = count !== null && count >= 0 && count <= MOST_TOKENS;
    return believed ? Math.round(count) : fallback;
  };
  return {
    input: read("input_tokens", before.input),
    output: read("output_tokens", before.output),
    cacheRead: read("cache_read_input_tokens", before.cacheRead),
    cacheWrite: read("cache_creation_input_tokens", before.cacheWrite),
  };
}

function deltaLength(delta: JsonObject): number {
  const text = textAt(delta, "text") ?? textAt(delta, "thinking") ?? textAt(delta, "partial_json");
  return text?.length ?? 0;
}

function add(a: Tokens, b: Tokens): Tokens {
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
  };
}
