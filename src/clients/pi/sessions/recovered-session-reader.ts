import type { JsonObject } from "../../../language/basics/json-object.ts";
import type { RecoveredSession } from "../../../machine/model/recovered-session.ts";
import type { SpendReport } from "../../../machine/model/spend.ts";
import type { Asked } from "../../common/asked.ts";
import { objectAt, textAt } from "../../common/json-fields.ts";
import { FinalMessage } from "../../common/output/final-message.ts";
import { SpendMeter } from "../spend-meter.ts";
import { lengthOf, modelOf, textOf } from "../usage.ts";

/** What decides the result of a call in one message. */
interface Entry {
  readonly id: string | null;
  readonly parent: string | null;
  /** Null for an entry that is not a message. */
  readonly role: string | null;
  readonly stopReason: string;
  readonly text: string;
}

/**
 * Recovers the result of one call from the entries that it added to its conversation.
 *
 * R1  Entries are a tree. The conversation is the chain of parents of its last entry; other branches were left by the user.
 * R2  The answer is complete if the last message of the chain is from the model and ended its turn.
 * R3  Answers on all branches were paid for.
 * R4  A request is sent when its prompt is stored. A prompt without an answer was in flight.
 */
export class RecoveredSessionReader {
  readonly #entries: Entry[] = [];
  readonly #meter: SpendMeter;
  #model: string | null = null;

  constructor(asked?: Asked) {
    this.#meter = new SpendMeter(asked);
  }

  line(line: JsonObject): void {
    const type = textAt(line, "type");
    if (type === "session") return;
    const isMessage = type === "message";
    const message = isMessage ? objectAt(line, "message") : {};
    const role = isMessage ? textAt(message, "role") : null;
    this.#entries.push({
      id: textAt(line, "id"),
      parent: textAt(line, "parentId"),
      role,
      stopReason: textAt(message, "stopReason") ?? "",
      text: role === "assistant" ? textOf(message) : "",
    });
    if (isMessage) this.#count(role ?? "", message);
    // A summary of the conversation.
    else this.#meter.used(objectAt(line, "usage"));
  }

  recollection(lost: boolean): RecoveredSession {
    const { hasPrompt, answer } = this.#result();
    return { hasPrompt, lost, answer: hasPrompt ? answer : null, spend: this.#spend() };
  }

  #count(role: string, message: JsonObject): void {
    switch (role) {
      case "assistant":
        this.#model = modelOf(message) ?? this.#model;
        this.#meter.ended(message);
        break;
      case "user":
      case "toolResult":
        // R4.
        this.#meter.sent(lengthOf(message));
        this.#meter.requested();
        this.#meter.used(objectAt(message, "usage"));
        break;
      default:
        break;
    }
  }

  #result(): { readonly hasPrompt: boolean; readonly answer: string | null } {
    const final = new FinalMessage();
    let hasPrompt = false;
    let complete = false;
    for (const { role, stopReason, text } of this.#chain()) {
      if (role === "user" || role === "toolResult") complete = false;
      if (role === "toolResult") final.toolAnswered();
      if (role === "user") {
        // A later message of the user starts another turn.
        if (hasPrompt) final.turnEnded(true);
        hasPrompt = true;
      }
      if (role !== "assistant") continue;
      complete = stopReason === "stop" || stopReason === "length";
      if (stopReason === "error" || stopReason === "aborted") final.toolAnswered();
      else if (text !== "") final.say(text);
    }
    return { hasPrompt, answer: complete ? (final.text ?? "") : null };
  }

  /** R1, in order. */
  #chain(): readonly Entry[] {
    const byId = new Map(this.#entries.map((entry) => [entry.id, entry]));
    const chain: Entry[] = [];
    // The number of entries bounds the chain: a cycle in a damaged file must end.
    let next = this.#entries.at(-1);
    for (let left = this.#entries.length; next !== undefined && left > 0; left -= 1) {
      chain.push(next);
      next = next.parent === null ? undefined : byId.get(next.parent);
    }
    return chain.reverse();
  }

  #spend(): SpendReport {
    return {
      version: null,
      model: this.#model,
      conversationMicroUsd: null,
      ...this.#meter.spend(),
      settled: true,
      context: null,
      isRecalled: true,
    };
  }
}
