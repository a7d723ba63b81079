import type { JsonObject } from "../../../language/basics/json-object.ts";
import {
  type Context,
  type ModelUse,
  mergeUses,
  NO_TOKENS,
  type SpendReport,
  sumTokens,
  unpricedSpend,
} from "../../../machine/model/spend.ts";
import { CHARS_PER_TOKEN } from "../../common/asked.ts";
import { readCount } from "../../common/json-fields.ts";
import { pricedUse } from "../list-price.ts";

/**
 * The usage of one call, by list price: the client reports no cost (docs/codex.md, "Cost").
 *
 * M1  The usage of an answer is reported when it is complete.
 * M2  A request that was cut off has no usage, but its provider may charge it: it is estimated by its length.
 * M3  An answer that the provider ended with its text, such as one of its content filter, is as long as the answer before:
 *     its text does not include its reasoning.
 */
export class RolloutMeter {
  #uses: readonly ModelUse[] = [];
  #model: string | null;
  #context: Context | null = null;
  #window: number | null = null;
  /** Tokens of the conversation before the texts that follow. */
  #contextTokens: number;
  /** Characters without usage: of the next request, and of the answer in progress. */
  #sentChars = 0;
  #saidChars = 0;
  /** Output tokens of the last complete answer. */
  #lastOutput: number;
  /** Requests whose answer broke off, since the last complete one. */
  #broken: readonly ModelUse[] = [];

  /** `model`: the requested one. `contextTokens` of the conversation before the call, and `lastOutput` in it. */
  constructor(model: string | null, contextTokens: number, lastOutput: number) {
    this.#model = model;
    this.#contextTokens = contextTokens;
    this.#lastOutput = lastOutput;
  }

  get model(): string | null {
    return this.#model;
  }

  /** The answer in progress has text or tool calls. */
  get hasOutput(): boolean {
    return this.#saidChars > 0;
  }

  use(model: string | null): void {
    this.#model = model ?? this.#model;
  }

  windowIs(tokens: number | null): void {
    this.#window = tokens ?? this.#window;
  }

  sent(text: string): void {
    this.#sentChars += text.length;
  }

  said(text: string): void {
    this.#saidChars += text.length;
  }

  /** M1. */
  answered(usage: JsonObject): void {
    const all = readCount(usage, "input_tokens", 0);
    const cacheRead = Math.min(all, readCount(usage, "cached_input_tokens", 0));
    const cacheWrite = Math.min(all - cacheRead, readCount(usage, "cache_write_input_tokens", 0));
    const output = readCount(usage, "output_tokens", 0);
    const tokens = { input: all - cacheRead - cacheWrite, output, cacheRead, cacheWrite };
    // The repeated requests were as long as this one.
    const repeated = this.#broken.map(({ tokens: { output: said } }) =>
      pricedUse(this.#model, {
        ...NO_TOKENS,
        input: all,
        output: said === 0 ? 0 : Math.max(said, output),
      }),
    );
    this.#uses = [...this.#uses, ...repeated, pricedUse(this.#model, tokens)];
    this.#broken = [];
    this.#lastOutput = output;
    this.#context = { tokens: all + output, window: this.#window };
    this.#contextTokens = all + output;
    this.#sentChars = 0;
    this.#saidChars = 0;
  }

  /** The request in flight was cut off. */
  cutOff(): void {
    this.#uses = [...this.#uses, this.#inFlight()];
  }

  /** M2, M3. An answer broke off. The client may repeat its request. */
  broke(): void {
    const use = this.#inFlight(this.hasOutput ? this.#lastOutput : 0);
    this.#broken = [...this.#broken, use];
    // The next call knows the length of the conversation from it.
    this.#context ??= { tokens: use.tokens.input + use.tokens.output, window: this.#window };
    // Its text is a part of the next request.
    this.#sentChars += this.#saidChars;
    this.#saidChars = 0;
  }

  /** The provider rejected the request, which is free. `records`: how many answers seemed to break off. */
  rejected(records: number): void {
    this.#broken = this.#broken.slice(0, Math.max(0, this.#broken.length - records));
  }

  /** `isWaiting`: with the request in flight. */
  spend(isWaiting: boolean): SpendReport {
    const unreported = mergeUses([
      ...this.#uses,
      ...this.#broken,
      ...(isWaiting ? [this.#inFlight()] : []),
    ]);
    const spend = unpricedSpend({ version: null, model: this.#model, unreported });
    return { ...spend, tokens: sumTokens(unreported), context: this.#context };
  }

  /** M2. */
  #inFlight(leastOutput = 0): ModelUse {
    const input = this.#contextTokens + Math.ceil(this.#sentChars / CHARS_PER_TOKEN);
    const output = Math.max(leastOutput, Math.ceil(this.#saidChars / CHARS_PER_TOKEN));
    return pricedUse(this.#model, { ...NO_TOKENS, input, output });
  }
}
