import type { JsonObject } from "../../language/basics/json-object.ts";
import type { MicroUsd } from "../../language/basics/money.ts";
import {
  addTokens,
  type ModelUse,
  mergeUses,
  NO_TOKENS,
  type SpendReport,
  subtractTokens,
  subtractUses,
  sumTokens,
  weightedTokens,
} from "../../machine/model/spend.ts";
import { type Asked, CHARS_PER_TOKEN, NOTHING_ASKED } from "../common/asked.ts";
import { hasTokens, objectAt, objectsAt, textAt } from "../common/json-fields.ts";
import { type Answer, mergeUsage, NO_ANSWER, textLength, useOf } from "./answer.ts";
import { listCost, modelName } from "./list-price.ts";
import { costOf, isCumulative, readModelUsage, readTotal, readWindow } from "./output/figures.ts";
import { readUsage } from "./output/usage.ts";

export type Spend = Pick<
  SpendReport,
  "costMicroUsd" | "conversationMicroUsd" | "tokens" | "reported" | "unreported" | "context"
>;

/**
 * Counts the usage of one call (docs/claude.md, "Cost"). Each `result` reports totals. Answers on the stream that these
 * totals do not include were paid for as well: their tokens are unreported. The figures by version:
 *
 * | | the total is of | an answer interrupted by a signal | an answer cut off by the network |
 * | --- | --- | --- | --- |
 * | before 2.1.277 | the call | in no figure | in the total |
 * | from then on | the conversation | in this total, in no later one | in no figure |
 *
 * `model_usage_since_last_result`, if present, is of the call.
 */
export class SpendMeter {
  /** By message id. */
  readonly #answers = new Map<string, Answer>();
  /** The current message of the main thread ("") and of each subagent. */
  readonly #threads = new Map<string, string>();
  /** Usage that results have reported; null without a result. */
  #reported: readonly ModelUse[] | null = null;
  /** Usage of the main thread by turn, if results report nothing else. */
  readonly #turns: ModelUse[] = [];
  #total: MicroUsd | null = null;
  /** Cost of this call alone, if the client reports it. */
  #own: MicroUsd | null = null;
  /** Tokens of the last message of the main thread; null: none yet. */
  #context: number | null = null;
  #window: number | null = null;
  #unnamed = 0;
  #request: Asked;
  /** A request of the main thread is in flight, without an answer so far. */
  #waiting = false;

  constructor(asked = NOTHING_ASKED) {
    this.#request = asked;
  }

  /** The model of the main thread. */
  named(model: string | null): void {
    this.#request = { ...this.#request, model: model ?? this.#request.model };
  }

  /** The client has sent a request. */
  requested(): void {
    this.#waiting = true;
  }

  /** Adds characters to the next request. */
  sent(chars: number): void {
    this.#request = { ...this.#request, chars: this.#request.chars + chars };
  }

  /** The request failed or was not sent, so it costs nothing. */
  unrequested(): void {
    this.#waiting = false;
  }

  get answering(): boolean {
    return [...this.#threads.values()].some((id) => this.#answers.get(id)?.open === true);
  }

  /** The last reported total, of the call or of the conversation. */
  get total(): MicroUsd | null {
    return this.#total;
  }

  /** Total usage, reported or not. */
  used(): readonly ModelUse[] {
    return this.#received(true);
  }

  /** `version`: of the client. */
  spend(version: string | null): Spend {
    const reported = (this.#reported ?? []).map((use) => this.#valued(use));
    const beyond = this.#reported === null ? this.#received(true) : this.#beyond(this.#reported);
    const unreported = mergeUses([...beyond, ...this.#unanswered()]);
    const tokens = addTokens(sumTokens(reported), sumTokens(unreported));
    const context = this.#context === null ? null : { tokens: this.#context, window: this.#window };
    return { ...this.#figures(version), tokens, reported, unreported, context };
  }

  /** The `event` of a `stream_event` of a subagent or (null) the main thread. Returns whether it contained a usage figure. */
  partial(event: JsonObject, thread: string | null = null): boolean {
    const key = thread ?? "";
    const id = this.#threads.get(key) ?? "";
    const current = this.#answers.get(id);
    switch (textAt(event, "type") ?? "") {
      case "message_start": {
        const message = objectAt(event, "message");
        const next = textAt(message, "id") ?? this.#newId();
        this.#threads.set(key, next);
        this.#begin(next, message, thread === null, true);
        return true;
      }
      case "content_block_delta":
        if (current === undefined) return false;
        this.#answers.set(id, {
          ...current,
          chars: current.chars + textLength(objectAt(event, "delta")),
        });
        return false;
      case "message_delta": {
        const from = current ?? NO_ANSWER;
        const at = current === undefined ? this.#newId() : id;
        const usage = objectAt(event, "usage");
        this.#threads.set(key, at);
        // The exact figure replaces the estimate.
        this.#keep(at, { ...from, ...mergeUsage(from, usage), chars: 0, open: false });
        return true;
      }
      default:
        return false;
    }
  }

  /** A complete message: the only source for subagents, and for answers that were not streamed. */
  message(message: JsonObject, main: boolean): void {
    const id = textAt(message, "id");
    const known = id === null ? undefined : this.#answers.get(id);
    if (id === null || known?.streamed === true) return;
    const chars = objectsAt(message, "content").reduce((sum, each) => sum + textLength(each), 0);
    const answer = known ?? this.#begin(id, message, main, false);
    this.#keep(id, { ...answer, chars: answer.chars + chars });
  }

  /** A message of a transcript, with its full usage. */
  written(message: JsonObject, main: boolean): void {
    this.#begin(textAt(message, "id") ?? this.#newId(), message, main, false);
  }

  /** A `cost-state` of a transcript. Its total includes all usage so far. */
  stated(total: MicroUsd): void {
    this.#total = total;
    this.#reported = this.#received(false);
  }

  /** A `result`. `version`: of the client. `model`: of the main thread. */
  result(event: JsonObject, version: string | null, model: string | null = null): void {
    this.#window = readWindow(event, model) ?? this.#window;
    this.#total = readTotal(event) ?? this.#total;
    if (!(textAt(event, "terminal_reason") ?? "").startsWith("aborted")) this.#waiting = false;
    const own = readModelUsage(event, "model_usage_since_last_result");
    const call = isCumulative(version) ? null : readModelUsage(event, "modelUsage");
    if (own !== null) {
      this.#own = (this.#own ?? 0) + costOf(own);
      this.#reported = mergeUses([...(this.#reported ?? []), ...own]);
      // `modelUsage` without a version may be of the conversation: only `usage` is certainly of the call.
    } else if (call !== null && version !== null && version !== "" && hasTokens(sumTokens(call))) {
      this.#reported = call;
    } else {
      this.#reported = this.#turn(event, isCumulative(version), model);
    }
  }

  /** For results with only the `usage` of the main thread. Their total includes the subagents. */
  #turn(event: JsonObject, cumulative: boolean, model: string | null): readonly ModelUse[] {
    const usage = objectAt(event, "usage");
    const tokens = readUsage(usage, NO_TOKENS);
    const interrupted = (textAt(event, "terminal_reason") ?? "").startsWith("aborted");
    const isIncluded = ({ open }: Answer) => !open || (cumulative && interrupted);
    // At the cap the client reports zero tokens.
    if (!hasTokens(tokens)) return this.#total === 0 ? [] : this.#received(false, isIncluded);
    const name = model === null ? null : modelName(model);
    this.#turns.push({ model: name, tokens, ...listCost(model, usage), costMicroUsd: null });
    if (cumulative && interrupted) this.#turns.push(...this.#received(false, ({ open }) => open));
    const subagents = this.#received(false, (answer) => !answer.main && isIncluded(answer));
    return mergeUses([...this.#turns, ...subagents]);
  }

  #figures(version: string | null): Pick<Spend, "costMicroUsd" | "conversationMicroUsd"> {
    const total = this.#total;
    if (this.#own !== null) return { costMicroUsd: this.#own, conversationMicroUsd: total };
    if (isCumulative(version)) return { costMicroUsd: null, conversationMicroUsd: total };
    // Without a version it can be either. The ledger finds out which one matches.
    const unknown = version === null || version === "";
    return { costMicroUsd: total, conversationMicroUsd: unknown ? total : null };
  }

  /** Received usage, by model. `guess`: estimate text without a figure by its length. */
  #received(guess: boolean, of: (answer: Answer) => boolean = () => true): readonly ModelUse[] {
    const answers = [...this.#answers.values()].filter(of);
    const main = this.#request.model;
    return mergeUses(
      answers.map((answer) => useOf({ ...answer, model: answer.model ?? main }, guess)),
    );
  }

  /** Received usage that was not reported. */
  #beyond(reported: readonly ModelUse[]): readonly ModelUse[] {
    const seen = this.#received(false);
    const names = new Set(reported.map(({ model }) => model));
    if (reported.length > 0 && seen.some(({ model }) => !names.has(model))) {
      // The client may use another model name than the API: only totals are comparable.
      const rest = subtractTokens(sumTokens(seen), sumTokens(reported));
      if (!hasTokens({ ...rest, output: 0 })) return [];
    }
    const beyond = subtractUses(seen, reported);
    const missing = new Set(
      beyond.filter(({ tokens }) => hasTokens({ ...tokens, output: 0 })).map(({ model }) => model),
    );
    const guessed = subtractUses(this.#received(true), reported);
    return guessed.filter(({ model }) => missing.has(model));
  }

  /** Priced like the received answers: totals do not show which were long, fast or cached for an hour. */
  #valued(use: ModelUse): ModelUse {
    const seen = this.#received(false).find(({ model }) => model === use.model);
    const weight = seen === undefined ? 0 : weightedTokens(seen.tokens);
    if (seen === undefined || seen.listMicroUsd === null || weight === 0) return use;
    const rate = seen.listMicroUsd / weight;
    return {
      ...use,
      listMicroUsd: Math.max(use.listMicroUsd ?? 0, rate * weightedTokens(use.tokens)),
    };
  }

  /** The prompt of a request without an answer so far: it is paid for, and its size is known. */
  #unanswered(): readonly ModelUse[] {
    if (!this.#waiting) return [];
    const { model, chars, contextTokens } = this.#request;
    const input = (this.#context ?? contextTokens) + Math.ceil(chars / CHARS_PER_TOKEN);
    const tokens = { ...NO_TOKENS, input };
    if (input === 0) return [];
    return [useOf({ ...NO_ANSWER, model, tokens }, false)];
  }

  #begin(id: string, message: JsonObject, main: boolean, streamed: boolean): Answer {
    if (main) {
      this.#waiting = false;
      this.#request = { ...this.#request, chars: 0 };
    }
    const model = textAt(message, "model");
    const usage = objectAt(message, "usage");
    const tokens = readUsage(usage, NO_TOKENS);
    const answer = { model, main, streamed, usage, tokens, chars: 0, open: streamed };
    this.#keep(id, answer);
    return answer;
  }

  #keep(id: string, answer: Answer): void {
    this.#answers.set(id, answer);
    const { input, output, cacheRead, cacheWrite } = answer.tokens;
    if (answer.main) this.#context = input + output + cacheRead + cacheWrite;
  }

  #newId(): string {
    this.#unnamed += 1;
    return `unnamed-${String(this.#unnamed)}`;
  }
}
