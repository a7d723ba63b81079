import type { JsonObject } from "../../language/basics/json-object.ts";
import {
  type ModelUse,
  mergeUses,
  NO_TOKENS,
  type SpendReport,
  sumTokens,
  type Tokens,
  weightedTokens,
} from "../../machine/model/spend.ts";
import { type Asked, CHARS_PER_TOKEN, NOTHING_ASKED } from "../common/asked.ts";
import { objectAt, textAt } from "../common/json-fields.ts";
import { lengthOf, modelOf, readCost, readTokens } from "./usage.ts";

export type Spend = Pick<
  SpendReport,
  "costMicroUsd" | "tokens" | "reported" | "unreported" | "context"
>;

interface OpenAnswer {
  readonly model: string | null;
  readonly usage: JsonObject;
  /** Characters received so far. */
  readonly chars: number;
}

/**
 * Counts the usage of one call (docs/pi.md, "Cost"): pi reports tokens and cost with every answer, and no totals. Answers
 * without figures, such as interrupted ones, are estimated by their length.
 */
export class SpendMeter {
  readonly #priced: ModelUse[] = [];
  /** Tokens without a cost. */
  readonly #unpriced: ModelUse[] = [];
  #withoutPrice: string | null = null;
  #open: OpenAnswer | null = null;
  #request: Asked;
  /** A request is in flight, without an answer so far. */
  #waiting = false;
  /** Tokens of the last complete answer; null: none yet. */
  #context: number | null = null;

  constructor(asked = NOTHING_ASKED) {
    this.#request = asked;
  }

  get answering(): boolean {
    return this.#open !== null;
  }

  /** Adds characters to the next request. */
  sent(chars: number): void {
    this.#request = { ...this.#request, chars: this.#request.chars + chars };
  }

  requested(): void {
    this.#waiting = true;
  }

  started(message: JsonObject): void {
    this.#waiting = false;
    const model = modelOf(message) ?? this.#request.model;
    this.#open = { model, usage: objectAt(message, "usage"), chars: lengthOf(message) };
  }

  /** A part of an answer, with its usage so far. */
  continued(usage: JsonObject, chars: number): void {
    if (this.#open === null) return;
    this.#open = { ...this.#open, usage, chars: this.#open.chars + chars };
  }

  /** A complete or broken answer. */
  ended(message: JsonObject): void {
    this.#waiting = false;
    this.#open = null;
    const usage = objectAt(message, "usage");
    const model = modelOf(message) ?? this.#request.model;
    const chars = lengthOf(message);
    const broken = ["error", "aborted"].includes(textAt(message, "stopReason") ?? "");
    const tokens = readTokens(usage);
    const hasFigures = weightedTokens(tokens) > 0;
    if (hasFigures) this.used(usage, model);
    // A request that failed without any output is free.
    if (chars > 0 && (broken || !hasFigures)) this.#guess(model, tokens, chars);
    if (broken || !hasFigures) return;
    this.#context = total(tokens);
    this.#request = { ...this.#request, model, chars: 0 };
  }

  /** Usage of an answer, a summary of the conversation, or a tool that calls a model. */
  used(usage: JsonObject, model: string | null = this.#request.model): void {
    const tokens = readTokens(usage);
    const cost = readCost(usage);
    if (weightedTokens(tokens) === 0 && cost === null) return;
    const use = { model, tokens, listMicroUsd: cost, onList: false, costMicroUsd: cost };
    if (cost === null) this.#withoutPrice ??= model;
    (cost === null ? this.#unpriced : this.#priced).push(use);
  }

  /** A model for which pi has reported tokens without a cost; null: none. */
  get withoutPrice(): string | null {
    return this.#withoutPrice;
  }

  spend(): Spend {
    const reported = mergeUses(this.#priced);
    const unreported = mergeUses([...this.#unpriced, ...this.#inFlight()]);
    const cost = reported.reduce((sum, use) => sum + (use.costMicroUsd ?? 0), 0);
    return {
      costMicroUsd: reported.length === 0 ? null : Math.round(cost),
      tokens: sumTokens([...reported, ...unreported]),
      reported,
      unreported,
      context: this.#context === null ? null : { tokens: this.#context, window: null },
    };
  }

  /** Total usage, reported or not. */
  all(): readonly ModelUse[] {
    return mergeUses([...this.#priced, ...this.#unpriced, ...this.#inFlight()]);
  }

  #inFlight(): readonly ModelUse[] {
    const { model } = this.#request;
    if (this.#open !== null) {
      const { usage, chars } = this.#open;
      const figures = readTokens(usage);
      const asked = weightedTokens(figures) === 0 ? this.#asked() : figures;
      const output = Math.max(figures.output, Math.ceil(chars / CHARS_PER_TOKEN));
      return [this.#estimate(this.#open.model, { ...asked, output }, readCost(usage))];
    }
    const asked = this.#asked();
    return this.#waiting && asked.input > 0 ? [this.#estimate(model, asked, null)] : [];
  }

  /** Tokens of an answer that its figures do not include. */
  #guess(model: string | null, known: Tokens, chars: number): void {
    const base = weightedTokens(known) > 0 ? NO_TOKENS : this.#asked();
    const output = Math.max(0, Math.ceil(chars / CHARS_PER_TOKEN) - known.output);
    const tokens = { ...base, output };
    if (weightedTokens(tokens) > 0) this.#unpriced.push(this.#estimate(model, tokens, null));
  }

  /** The estimated tokens of the current request. */
  #asked(): Tokens {
    const { contextTokens, chars } = this.#request;
    return {
      ...NO_TOKENS,
      input: (this.#context ?? contextTokens) + Math.ceil(chars / CHARS_PER_TOKEN),
    };
  }

  /** At the price of the answers of the same model, at least its cost so far. */
  #estimate(model: string | null, tokens: Tokens, cost: number | null): ModelUse {
    const known = mergeUses(this.#priced).find((use) => use.model === model);
    const rate =
      known === undefined ? null : (known.listMicroUsd ?? 0) / weightedTokens(known.tokens);
    const listMicroUsd = rate === null ? cost : Math.max(cost ?? 0, rate * weightedTokens(tokens));
    return { model, tokens, listMicroUsd, onList: false, costMicroUsd: null };
  }
}

function total({ input, output, cacheRead, cacheWrite }: Tokens): number {
  return input + output + cacheRead + cacheWrite;
}
