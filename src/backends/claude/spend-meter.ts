import type { JsonObject } from "../../core/json-object.ts";
import {
  addTokens,
  type ModelUse,
  mergeUses,
  NO_TOKENS,
  type SpendReport,
  sumTokens,
  type Tokens,
  tokensBeyond,
  usesBeyond,
  weigh,
} from "../../core/machine/spend.ts";
import type { MicroUsd } from "../../core/money.ts";
import { costOf, readModelUsage, readTotal, readWindow } from "./figures.ts";
import { objectAt, objectsAt, textAt } from "./json.ts";
import { listCost, modelName } from "./list-price.ts";
import { areAny, readUsage } from "./usage.ts";
import { isCumulative } from "./version.ts";

/** Characters of text that count as one token where a stream was cut off before it said its size. */
const CHARS_PER_TOKEN = 4;

/** What a meter reads of one call. */
export type Spend = Pick<
  SpendReport,
  "costMicroUsd" | "conversationMicroUsd" | "tokens" | "reported" | "unreported" | "context"
>;

/** One answer of a model, as far as it was seen. */
interface Answer {
  readonly model: string | null;
  readonly main: boolean;
  /** Its parts were seen, and not only the whole. */
  readonly streamed: boolean;
  readonly usage: JsonObject;
  readonly tokens: Tokens;
  /** Characters of a text whose tokens were not reported yet. */
  readonly chars: number;
  /** Its end was not seen. */
  readonly open: boolean;
}

/** What is known of a request before its first answer. */
export interface Asked {
  readonly model: string | null;
  /** Characters that are sent. */
  readonly chars: number;
  /** Tokens that the conversation holds already. */
  readonly contextTokens: number;
}

/**
 * Counts what one call uses (docs/claude.md, "Money"). Each `result` reports
 * sums. Answers that were seen on the stream beyond those sums were paid for as
 * well: their tokens are unreported. What each version's figures include:
 *
 * | | the total is of | an answer interrupted by a signal | an answer cut off by the network |
 * | --- | --- | --- | --- |
 * | before 2.1.277 | the call | in no figure | in the total |
 * | from then on | the conversation | in this total, in no later one | in no figure |
 *
 * `model_usage_since_last_result`, where it is given, is of the call.
 */
export class SpendMeter {
  /** By the id of the message. */
  readonly #answers = new Map<string, Answer>();
  /** The message that each thread is in: of the main work ("") and of each subagent. */
  readonly #threads = new Map<string, string>();
  /** What results have reported; null without any. */
  #told: readonly ModelUse[] | null = null;
  /** What the main thread has used in each turn, where a result tells no more. */
  readonly #turns: ModelUse[] = [];
  #total: MicroUsd | null = null;
  /** Cost of this call alone, where the client reports it. */
  #own: MicroUsd | null = null;
  /** Tokens of the last message of the main thread; null: none came. */
  #context: number | null = null;
  #window: number | null = null;
  #unnamed = 0;
  #asked: Asked;
  /** A request of the main thread is on its way, and nothing of its answer was seen. */
  #waiting = false;

  constructor(asked: Asked = { model: null, chars: 0, contextTokens: 0 }) {
    this.#asked = asked;
  }

  /** The model of the main thread. */
  named(model: string | null): void {
    this.#asked = { ...this.#asked, model: model ?? this.#asked.model };
  }

  /** The client sends a request. */
  requested(): void {
    this.#waiting = true;
  }

  /** This many characters go out with the next request. */
  sent(chars: number): void {
    this.#asked = { ...this.#asked, chars: this.#asked.chars + chars };
  }

  /** The request has failed, or was never sent: nothing is paid for it. */
  unrequested(): void {
    this.#waiting = false;
  }

  /** An answer has begun, and is not complete. */
  get answering(): boolean {
    return [...this.#threads.values()].some((id) => this.#answers.get(id)?.open === true);
  }

  /** The last total that was reported, of the call or of the conversation. */
  get total(): MicroUsd | null {
    return this.#total;
  }

  /** What was used, whether or not a result has reported it. */
  used(): readonly ModelUse[] {
    return this.#seen(true);
  }

  /** What is known now; `version` is the client's. */
  spend(version: string | null): Spend {
    const reported = (this.#told ?? []).map((use) => this.#valued(use));
    const beyond = this.#told === null ? this.#seen(true) : this.#beyond(this.#told);
    const unreported = mergeUses([...beyond, ...this.#unanswered()]);
    const tokens = addTokens(sumTokens(reported), sumTokens(unreported));
    const context = this.#context === null ? null : { tokens: this.#context, window: this.#window };
    return { ...this.#figures(version), tokens, reported, unreported, context };
  }

  /**
   * The `event` of a `stream_event`; `thread` names the subagent, null: the main work. True when it
   * brought a figure of the API, and not only text.
   */
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
        // The real figure is known now: no guess from the length is needed.
        this.#keep(at, { ...from, ...merged(from, usage), chars: 0, open: false });
        return true;
      }
      default:
        return false;
    }
  }

  /** A whole message: the only news of subagents, and of an answer that the client asked for without a stream. */
  message(message: JsonObject, main: boolean): void {
    const id = textAt(message, "id");
    const known = id === null ? undefined : this.#answers.get(id);
    if (id === null || known?.streamed === true) return;
    const chars = objectsAt(message, "content").reduce((sum, each) => sum + textLength(each), 0);
    const answer = known ?? this.#begin(id, message, main, false);
    this.#keep(id, { ...answer, chars: answer.chars + chars });
  }

  /** The usage of a message, in full, as a transcript has it. */
  written(message: JsonObject, main: boolean): void {
    this.#begin(textAt(message, "id") ?? this.#newId(), message, main, false);
  }

  /** A `cost-state` of a transcript: its total includes what was seen until now. */
  stated(total: MicroUsd): void {
    this.#total = total;
    this.#told = this.#seen(false);
  }

  /** A `result`; `version` is the client's, `model` that of the main thread. */
  result(event: JsonObject, version: string | null, model: string | null = null): void {
    this.#window = readWindow(event, model) ?? this.#window;
    this.#total = readTotal(event) ?? this.#total;
    if (!(textAt(event, "terminal_reason") ?? "").startsWith("aborted")) this.#waiting = false;
    const own = readModelUsage(event, "model_usage_since_last_result");
    const call = isCumulative(version) ? null : readModelUsage(event, "modelUsage");
    if (own !== null) {
      this.#own = (this.#own ?? 0) + costOf(own);
      this.#told = mergeUses([...(this.#told ?? []), ...own]);
      // `modelUsage` without a version may be of the conversation: only `usage` is certainly of the call.
    } else if (call !== null && version !== null && version !== "" && areAny(sumTokens(call))) {
      this.#told = call;
    } else {
      this.#told = this.#turn(event, isCumulative(version), model);
    }
  }

  /** Where only the `usage` of the main thread is known: its subagents are in the total as well. */
  #turn(event: JsonObject, cumulative: boolean, model: string | null): readonly ModelUse[] {
    const usage = objectAt(event, "usage");
    const tokens = readUsage(usage, NO_TOKENS);
    const interrupted = (textAt(event, "terminal_reason") ?? "").startsWith("aborted");
    const isIncluded = ({ open }: Answer) => !open || (cumulative && interrupted);
    // One that counts nothing (at the cap) is not believed.
    if (!areAny(tokens)) return this.#total === 0 ? [] : this.#seen(false, isIncluded);
    const name = model === null ? null : modelName(model);
    this.#turns.push({ model: name, tokens, ...listCost(model, usage), costMicroUsd: null });
    if (cumulative && interrupted) this.#turns.push(...this.#seen(false, ({ open }) => open));
    const subagents = this.#seen(false, (answer) => !answer.main && isIncluded(answer));
    return mergeUses([...this.#turns, ...subagents]);
  }

  #figures(version: string | null): Pick<Spend, "costMicroUsd" | "conversationMicroUsd"> {
    const total = this.#total;
    if (this.#own !== null) return { costMicroUsd: this.#own, conversationMicroUsd: total };
    if (isCumulative(version)) return { costMicroUsd: null, conversationMicroUsd: total };
    // Without a version it may be either: the ledger finds out which one fits.
    const unknown = version === null || version === "";
    return { costMicroUsd: total, conversationMicroUsd: unknown ? total : null };
  }

  /** What was seen, by model. `guess`: text without a figure counts by its length. */
  #seen(guess: boolean, of: (answer: Answer) => boolean = () => true): readonly ModelUse[] {
    const answers = [...this.#answers.values()].filter(of);
    const main = this.#asked.model;
    return mergeUses(
      answers.map((answer) => useOf({ ...answer, model: answer.model ?? main }, guess)),
    );
  }

  /** What was seen and not reported. */
  #beyond(told: readonly ModelUse[]): readonly ModelUse[] {
    const seen = this.#seen(false);
    const names = new Set(told.map(({ model }) => model));
    if (told.length > 0 && seen.some(({ model }) => !names.has(model))) {
      // The client may call a model by another name than the API: only sums can be compared.
      const rest = tokensBeyond(sumTokens(seen), sumTokens(told));
      if (!areAny({ ...rest, output: 0 })) return [];
    }
    const beyond = usesBeyond(seen, told);
    const missing = new Set(
      beyond.filter(({ tokens }) => areAny({ ...tokens, output: 0 })).map(({ model }) => model),
    );
    const guessed = usesBeyond(this.#seen(true), told);
    return guessed.filter(({ model }) => missing.has(model));
  }

  /** At the price of the answers that were seen: sums do not tell which were long, fast or cached for an hour. */
  #valued(use: ModelUse): ModelUse {
    const seen = this.#seen(false).find(({ model }) => model === use.model);
    const weight = seen === undefined ? 0 : weigh(seen.tokens);
    if (seen === undefined || seen.listMicroUsd === null || weight === 0) return use;
    const rate = seen.listMicroUsd / weight;
    return { ...use, listMicroUsd: Math.max(use.listMicroUsd ?? 0, rate * weigh(use.tokens)) };
  }

  /** The prompt of a request of whose answer nothing was seen: it is paid for, and its size is known. */
  #unanswered(): readonly ModelUse[] {
    if (!this.#waiting) return [];
    const { model, chars, contextTokens } = this.#asked;
    const input = (this.#context ?? contextTokens) + Math.ceil(chars / CHARS_PER_TOKEN);
    const tokens = { ...NO_TOKENS, input };
    if (input === 0) return [];
    return [useOf({ ...NO_ANSWER, model, tokens }, false)];
  }

  #begin(id: string, message: JsonObject, main: boolean, streamed: boolean): Answer {
    if (main) {
      this.#waiting = false;
      this.#asked = { ...this.#asked, chars: 0 };
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

const NO_ANSWER: Answer = {
  model: null,
  main: true,
  streamed: true,
  usage: {},
  tokens: NO_TOKENS,
  chars: 0,
  open: true,
};

/** A later `usage` of a message replaces an earlier one, as far as it can be believed. */
function merged(before: Answer, usage: JsonObject): Pick<Answer, "usage" | "tokens"> {
  const tokens = readUsage(usage, before.tokens);
  return { usage: { ...before.usage, ...usage, ...usageOf(tokens) }, tokens };
}

function usageOf(tokens: Tokens): JsonObject {
  return {
    input_tokens: tokens.input,
    output_tokens: tokens.output,
    cache_read_input_tokens: tokens.cacheRead,
    cache_creation_input_tokens: tokens.cacheWrite,
  };
}

function useOf({ model, tokens, usage, chars }: Answer, guess: boolean): ModelUse {
  const output = guess
    ? Math.max(tokens.output, Math.ceil(chars / CHARS_PER_TOKEN))
    : tokens.output;
  const counted = { ...tokens, output };
  return {
    model: model === null ? null : modelName(model),
    tokens: counted,
    ...listCost(model, { ...usage, ...usageOf(counted) }),
    costMicroUsd: null,
  };
}

/** Characters of a piece of a message, or of a block of it. */
function textLength(of: JsonObject): number {
  const text = textAt(of, "text") ?? textAt(of, "thinking") ?? textAt(of, "partial_json");
  return text?.length ?? JSON.stringify(objectAt(of, "input")).length - 2;
}
