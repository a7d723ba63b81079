import type { JsonObject } from "../../core/json-object.ts";
import type { Recollection } from "../../core/machine/recollection.ts";
import type { SpendReport } from "../../core/machine/spend.ts";
import { readTotal } from "./figures.ts";
import { FinalMessage } from "./final-message.ts";
import { objectAt, objectsAt, parseObject, textAt, valueAt } from "./json.ts";
import { LineReader } from "./lines.ts";
import { type Asked, SpendMeter } from "./spend-meter.ts";

/**
 * Reads in a transcript of the client what has become of one call.
 *
 * R1. What was added since the call began is the call's: one conversation
 *     never has two clients at once. `isOwn` tells which lines these are.
 * R2. The answer is complete when the last word of the main thread is the
 *     model's, and it ended its turn by itself.
 * R3. A message may be several lines, each with the usage of the whole.
 * R4. From 2.1.277 on the client writes down what its next total of this
 *     conversation will begin with, when it ends by itself, by SIGINT or by
 *     SIGTERM (`cost-state`, measured). It includes the answers that stand
 *     above it, which `charge` checks. What comes below it is in no later
 *     total where the client was killed.
 * R5. A request is sent when its prompt is written down: one without an
 *     answer below it was on its way.
 */
export class RecollectionReader {
  readonly #isOwn: (line: JsonObject) => boolean;
  readonly #message = new FinalMessage();
  readonly #meter: SpendMeter;
  #heard = false;
  #complete = false;
  /** A line cannot be read. */
  #torn = false;
  #version: string | null = null;
  #model: string | null = null;

  constructor(isOwn: (line: JsonObject) => boolean, asked?: Asked) {
    this.#isOwn = isOwn;
    this.#meter = new SpendMeter(asked);
  }

  /** One transcript: those of its subagents first, for a `cost-state` of the conversation includes them. */
  file(isOwn = this.#isOwn): LineReader {
    return new LineReader({
      line: (text) => {
        const line = parseObject(text);
        if (line !== null) this.#line(line, isOwn);
        else if (text !== "") this.#torn = true;
      },
      tooLong: () => undefined,
    });
  }

  recollection(lost: boolean): Recollection {
    return {
      heard: this.#heard,
      lost,
      answer: this.#heard && this.#complete ? (this.#message.text ?? "") : null,
      spend: this.#spend(),
    };
  }

  /** R4. */
  #spend(): SpendReport {
    return {
      version: this.#version,
      model: this.#model,
      ...this.#meter.spend(this.#version),
      // Only newer clients write a total here, and it is always that of the conversation.
      costMicroUsd: null,
      conversationMicroUsd: this.#meter.total,
      settled: true,
      context: null,
      isRecalled: true,
    };
  }

  #line(line: JsonObject, isOwn: (line: JsonObject) => boolean): void {
    const type = textAt(line, "type");
    // It has no time of its own.
    if (type === "cost-state" && this.#heard) {
      const total = readTotal(line, "totalCostUSD");
      if (total !== null) this.#meter.stated(total);
      // An answer that a full disk has torn is in the total.
      if (this.#torn) this.#meter.unrequested();
    }
    if (textAt(line, "timestamp") === null || !isOwn(line)) return;
    const main = valueAt(line, "isSidechain") !== true;
    if (type === "user" && main) this.#user(line);
    if (type === "assistant") this.#assistant(line, main);
  }

  #user(line: JsonObject): void {
    this.#complete = false;
    const message = objectAt(line, "message");
    const blocks = objectsAt(message, "content");
    const { length } = JSON.stringify(valueAt(message, "content") ?? "");
    if (blocks.some((block) => textAt(block, "type") === "tool_result")) {
      this.#message.toolAnswered();
      // A tool that was killed comes back as an error, and its client was killed a moment later.
      if (!blocks.some((block) => valueAt(block, "is_error") === true)) this.#request(length);
      return;
    }
    const text = textAt(message, "content") ?? textAt(blocks[0] ?? {}, "text") ?? "";
    if (isOfClient(line, text)) return;
    // What comes after the prompt (something in the background has ended) begins another turn.
    if (this.#heard) this.#message.turnEnded(true);
    this.#heard = true;
    this.#request(length);
  }

  /** R5. */
  #request(chars: number): void {
    this.#meter.sent(chars);
    this.#meter.requested();
  }

  #assistant(line: JsonObject, main: boolean): void {
    const message = objectAt(line, "message");
    const spoken = textAt(message, "model") !== "<synthetic>";
    if (main) this.#complete = spoken && textAt(message, "stop_reason") === "end_turn";
    if (!spoken) {
      this.#meter.unrequested();
      return;
    }
    this.#meter.written(message, main);
    this.#version = textAt(line, "version") ?? this.#version;
    if (!main) return;
    this.#model = textAt(message, "model") ?? this.#model;
    this.#meter.named(this.#model);
    for (const block of objectsAt(message, "content")) {
      if (textAt(block, "type") === "text") this.#message.say(textAt(block, "text") ?? "");
    }
  }
}

/** Lines that were written since a moment, epoch ms. */
export function writtenSince(moment: number): (line: JsonObject) => boolean {
  // The time of a line that has none is NaN, and such a line is nobody's.
  return (line) => Date.parse(textAt(line, "timestamp") ?? "") >= moment;
}

/** Lines in the user's name that the client has written: its notes, a summary, the mark of an interrupt, a command of its own. */
function isOfClient(line: JsonObject, text: string): boolean {
  if (valueAt(line, "isMeta") === true || valueAt(line, "isCompactSummary") === true) return true;
  return /^(?:\[Request interrupted by user|<command-name>|<local-command-)/.test(text);
}
