import type { JsonObject } from "../../../language/basics/json-object.ts";
import type { Denial } from "../../../machine/model/denial.ts";
import { unpricedSpend } from "../../../machine/model/spend.ts";
import type { Asked } from "../../common/asked.ts";
import { objectAt, textAt, valueAt } from "../../common/json-fields.ts";
import {
  type Activity,
  type AgentStream,
  MAX_DENIALS,
  type StreamSink,
} from "../../common/output/agent-stream.ts";
import { EventLines, type StreamSecrets } from "../../common/output/event-lines.ts";
import { FinalMessage } from "../../common/output/final-message.ts";
import { mainArgument } from "../../common/output/main-argument.ts";
import { type CallFacts, NO_FACTS } from "../facts.ts";
import { SpendMeter } from "../spend-meter.ts";
import { lengthOf, modelOf, textOf } from "../usage.ts";
import { noticeOf } from "./notices.ts";

/**
 * Reads the output of one call and tolerates anything: noise, unknown events, a torn last line.
 *
 * P1  `accepted` is reported once, when the client has stored the prompt: at the end of the message of the user.
 * P2  After {@link seal} nothing changes the verdict or the text. Its cost still counts.
 * P3  An answer that ends with an error is not part of the reply: pi sends the request again without it.
 */
export class PiStream implements AgentStream {
  readonly #sink: StreamSink;
  readonly #lines: EventLines;
  readonly #message = new FinalMessage();
  readonly #meter: SpendMeter;
  /** Pending tool calls, by id. */
  readonly #tools = new Map<string, Denial>();
  readonly #isWithheld: (tool: string) => boolean;
  #facts: CallFacts = NO_FACTS;
  #sealed = false;
  #closing = false;

  /** `isWithheld`: whether the permissions of the call withhold a tool from the model. */
  constructor(
    sink: StreamSink,
    isWithheld: (tool: string) => boolean,
    asked?: Asked,
    secrets: StreamSecrets = null,
  ) {
    this.#sink = sink;
    this.#isWithheld = isWithheld;
    this.#meter = new SpendMeter(asked);
    const options = { program: "pi", secrets, repeating: REPEATING, isSettled: () => false };
    this.#lines = new EventLines(sink, options, (type, event) => {
      this.#event(type, event);
    });
  }

  get facts(): CallFacts {
    return { ...this.#facts, spend: this.#meter.spend() };
  }

  get activity(): Activity {
    if (this.#facts.settled) return "settled";
    return this.#tools.size > 0 ? "tool" : "thinking";
  }

  get answering(): boolean {
    return this.#meter.answering && !this.#facts.settled;
  }

  get closing(): boolean {
    return this.#closing && !this.#facts.settled;
  }

  /** A model for which pi has no price; null: none. */
  get withoutPrice(): string | null {
    return this.#meter.withoutPrice;
  }

  push(chunk: Buffer): void {
    this.#lines.push(chunk);
  }

  end(): void {
    this.#lines.end();
    this.seal();
  }

  seal(): void {
    if (this.#sealed) return;
    this.#update({ text: this.#lines.redacted(this.#message.text) });
    this.#sealed = true;
  }

  #event(type: string, event: JsonObject): void {
    const notice = noticeOf(event);
    if (notice !== null) this.#sink.notice(notice);
    switch (type) {
      case "session":
        this.#update({ session: textAt(event, "id") });
        break;
      case "turn_start":
        this.#closing = false;
        this.#meter.requested();
        break;
      case "message_start":
        this.#start(objectAt(event, "message"));
        break;
      case "message_update":
        this.#continue(event);
        break;
      case "message_end":
        this.#end(objectAt(event, "message"));
        break;
      case "tool_execution_start":
        this.#startTool(event);
        break;
      case "tool_execution_end":
        this.#endTool(event);
        break;
      case "compaction_end":
        this.#meter.used(objectAt(objectAt(event, "result"), "usage"));
        this.#spending();
        break;
      case "agent_settled":
        if (!this.#sealed) this.#update({ settled: true });
        break;
      default:
        break;
    }
  }

  #start(message: JsonObject): void {
    if (textAt(message, "role") !== "assistant") return;
    this.#meter.started(message);
    this.#spending();
  }

  #continue(event: JsonObject): void {
    const delta = textAt(objectAt(event, "assistantMessageEvent"), "delta") ?? "";
    this.#meter.continued(objectAt(event, "usage"), delta.length);
  }

  #end(message: JsonObject): void {
    switch (textAt(message, "role") ?? "") {
      case "user":
        this.#meter.sent(lengthOf(message));
        this.#meter.requested();
        this.#accept();
        break;
      case "assistant":
        this.#answer(message);
        break;
      case "toolResult":
        this.#meter.sent(lengthOf(message));
        this.#meter.used(objectAt(message, "usage"));
        if (!this.#sealed) this.#message.toolAnswered();
        break;
      default:
        break;
    }
  }

  /** P1. */
  #accept(): void {
    if (this.#facts.accepted) return;
    this.#update({ accepted: true });
    this.#sink.accepted();
  }

  #answer(message: JsonObject): void {
    const stopReason = textAt(message, "stopReason") ?? "";
    const failed = stopReason === "error" || stopReason === "aborted";
    const text = textOf(message);
    this.#meter.ended(message);
    this.#spending();
    this.#closing = stopReason === "stop" || stopReason === "length";
    this.#update({ model: modelOf(message) ?? this.#facts.model });
    if (!failed && text.trim() !== "") this.#sink.message(text);
    if (this.#sealed) return;
    // P3.
    if (failed) this.#message.toolAnswered();
    else if (text !== "") this.#message.say(text);
    const error = failed
      ? (textAt(message, "errorMessage") ?? `the answer was ${stopReason}`)
      : null;
    this.#update({ verdict: { stopReason, error } });
  }

  #startTool(event: JsonObject): void {
    const tool = textAt(event, "toolName") ?? "?";
    const input = mainArgument(objectAt(event, "args"));
    this.#tools.set(textAt(event, "toolCallId") ?? "", { tool, input });
    this.#sink.tool(tool, input);
  }

  #endTool(event: JsonObject): void {
    const id = textAt(event, "toolCallId") ?? "";
    const call = this.#tools.get(id);
    this.#tools.delete(id);
    if (call === undefined || valueAt(event, "isError") !== true) return;
    const { denials } = this.#facts;
    const unknown = textOf(objectAt(event, "result")) === `Tool ${call.tool} not found`;
    if (!unknown || !this.#isWithheld(call.tool) || denials.length >= MAX_DENIALS) return;
    this.#update({ denials: [...denials, call] });
  }

  #spending(): void {
    const { model } = this.#facts;
    this.#sink.spending(unpricedSpend({ version: null, model, unreported: this.#meter.all() }));
  }

  #update(facts: Partial<CallFacts>): void {
    this.#facts = { ...this.#facts, ...facts };
  }
}

/** Events that repeat messages of others, some of them the whole conversation. */
const REPEATING: ReadonlySet<string> = new Set([
  ...["message_start", "message_update", "tool_execution_update", "turn_end", "agent_end"],
]);
