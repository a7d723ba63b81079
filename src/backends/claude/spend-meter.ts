import type { JsonObject } from "../../core/json-object.ts";
import { addTokens, NO_TOKENS, type SpendReport, type Tokens } from "../../core/machine/spend.ts";
import { type MicroUsd, toMicroUsd } from "../../core/money.ts";
import {
  areAny,
  MOST_USD,
  type ModelUsage,
  readModelUsage,
  readTotal,
  readUsage,
  readWindow,
} from "./figures.ts";
import { objectAt, textAt } from "./json.ts";
import { isCumulative } from "./version.ts";

/** Characters of text that count as one token where a stream was cut off before it said its size. */
const CHARS_PER_TOKEN = 4;

/** What a meter reads of one call. */
export type Spend = Pick<
  SpendReport,
  "costMicroUsd" | "conversationMicroUsd" | "tokens" | "unreported" | "context"
>;

/**
 * Counts what one call uses (docs/claude.md, "Money"). Each `result` brings
 * sums; what came since the last one is known from partial messages only, and
 * that is what a client that is killed leaves to estimate from. What each
 * version's figures hold:
 *
 * | | the total is of | an answer that was broken off |
 * | --- | --- | --- |
 * | before 2.1.277 | the call | is in no figure |
 * | from then on | the conversation | is in this total, and in no later one |
 * | where `model_usage_since_last_result` is given | (that is of the call) | is in it |
 */
export class SpendMeter {
  /** Tokens that results have told of. */
  #reported = NO_TOKENS;
  /** Of answers that were broken off, which no figure holds. */
  #lost = NO_TOKENS;
  /** Answers that were finished since the last result. */
  #finished = NO_TOKENS;
  #message = NO_TOKENS;
  #open = false;
  #chars = 0;
  #total: MicroUsd | null = null;
  /** Tokens of the last message of the main thread; null: none came. */
  #context: number | null = null;
  #window: number | null = null;
  /** Dollars of this call alone, where the client tells; null where it does not. */
  #own: number | null = null;

  /** An answer has begun, and is not complete. */
  get answering(): boolean {
    return this.#open;
  }

  /** What is known now; `version` is the client's. */
  spend(version: string | null): Spend {
    const figures = this.#figures(version);
    const pending = addTokens(this.#finished, this.#current());
    const unreported = addTokens(this.#lost, pending);
    const tokens = addTokens(this.#reported, unreported);
    // A figure that was missing or absurd leaves the tokens to say what it cost.
    const known = figures.costMicroUsd !== null || figures.conversationMicroUsd !== null;
    const context = this.#context === null ? null : { tokens: this.#context, window: this.#window };
    return { ...figures, tokens, unreported: known ? unreported : tokens, context };
  }

  /**
   * The `event` of a `stream_event`, of the main thread or of a subagent. True when it brought a
   * figure of the API, and not only text.
   */
  partial(event: JsonObject, main = true): boolean {
    const told = this.#partial(event);
    const { input, output, cacheRead, cacheWrite } = this.#message;
    if (told && main) this.#context = input + output + cacheRead + cacheWrite;
    return told;
  }

  #partial(event: JsonObject): boolean {
    switch (textAt(event, "type") ?? "") {
      case "message_start":
        this.#finished = addTokens(this.#finished, this.#current());
        this.#chars = 0;
        this.#message = readUsage(objectAt(objectAt(event, "message"), "usage"), NO_TOKENS);
        this.#open = true;
        return true;
      case "content_block_delta":
        this.#chars += deltaLength(objectAt(event, "delta"));
        return false;
      case "message_delta":
        this.#message = readUsage(objectAt(event, "usage"), this.#message);
        // The real figure stands now: no guess from the length is needed.
        this.#chars = 0;
        this.#open = false;
        return true;
      default:
        return false;
    }
  }

  /** A `result`; `version` is the client's, `model` that of the main thread. */
  result(event: JsonObject, version: string | null, model: string | null = null): void {
    this.#window = readWindow(event, model) ?? this.#window;
    this.#total = readTotal(event) ?? this.#total;
    const broken = this.#open ? this.#current() : NO_TOKENS;
    const own = believed(readModelUsage(event, "model_usage_since_last_result"));
    const call = isCumulative(version) ? null : readModelUsage(event, "modelUsage");
    if (own !== null) {
      this.#own = (this.#own ?? 0) + own.usd;
      this.#reported = addTokens(this.#reported, own.tokens);
    } else {
      // Of all turns so far, or of this one.
      this.#reported =
        call !== null && areAny(call.tokens)
          ? call.tokens
          : addTokens(this.#reported, this.#turn(objectAt(event, "usage"), broken));
      if (isCumulative(version)) this.#reported = addTokens(this.#reported, broken);
      else this.#lost = addTokens(this.#lost, broken);
    }
    this.#finished = NO_TOKENS;
    this.#message = NO_TOKENS;
    this.#open = false;
    this.#chars = 0;
  }

  /** The `usage` of a result; one that counts nothing (at the cap) is not believed. */
  #turn(usage: JsonObject, broken: Tokens): Tokens {
    const told = readUsage(usage, NO_TOKENS);
    if (areAny(told)) return told;
    return areAny(broken) ? this.#finished : addTokens(this.#finished, this.#current());
  }

  #figures(version: string | null): Pick<Spend, "costMicroUsd" | "conversationMicroUsd"> {
    if (!isCumulative(version)) return { costMicroUsd: this.#total, conversationMicroUsd: null };
    const own = this.#own === null ? null : toMicroUsd(this.#own);
    return { costMicroUsd: own, conversationMicroUsd: this.#total };
  }

  #current(): Tokens {
    const guessed = Math.ceil(this.#chars / CHARS_PER_TOKEN);
    return { ...this.#message, output: Math.max(this.#message.output, guessed) };
  }
}

function believed(own: ModelUsage | null): ModelUsage | null {
  return own !== null && own.usd <= MOST_USD ? own : null;
}

function deltaLength(delta: JsonObject): number {
  const text = textAt(delta, "text") ?? textAt(delta, "thinking") ?? textAt(delta, "partial_json");
  return text?.length ?? 0;
}
