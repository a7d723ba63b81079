import type { JsonObject } from "../../../language/basics/json-object.ts";
import { unpricedSpend } from "../../../machine/model/spend.ts";
import type { Asked } from "../../common/asked.ts";
import { numberAt, objectAt, objectsAt, textAt, valueAt } from "../../common/json-fields.ts";
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
import { withheldNotice } from "../withheld-tools.ts";
import { BackgroundWork } from "./background-work.ts";
import { DeniedCalls } from "./denied-calls.ts";
import { noticeOf } from "./notices.ts";
import { checkServers, NO_SERVERS, type RequiredServers } from "./required-servers.ts";
import { hookReason, missingServers, readLimit, readVerdict } from "./result-event.ts";

const PARTIAL: ReadonlySet<string> = new Set(["stream_event"]);

/**
 * Reads the output of one call and tolerates anything: noise, unknown events, events before `init`, several results, a
 * torn last line. It stores facts and not the stream: partial messages are counted and dropped.
 *
 * C1  `accepted` is reported once, at the first event of the main thread after an `init`: a message, a part of one, a
 *     limit, or a retry of the API. Hooks and `system/status` are no evidence: they precede the storing of the prompt by
 *     about 100 ms (measured: killed at `status`, neither client has the prompt).
 * C2  After {@link seal} no `result` changes the verdict or the text. Its cost still counts.
 * C3  A result with pending background work is not the end: the client waits for it and starts another turn.
 * C4  A synthetic message after an answer that was not cut off rejects it, e.g. the feedback of a Stop hook.
 */
export class ClientStream implements AgentStream {
  readonly #sink: StreamSink;
  readonly #required: RequiredServers;
  readonly #lines: EventLines;
  readonly #message = new FinalMessage();
  readonly #meter: SpendMeter;
  readonly #tools = new Set<string>();
  readonly #denied = new DeniedCalls();
  readonly #work = new BackgroundWork();
  #facts: CallFacts = NO_FACTS;
  /** The last turn is complete. */
  #hasResult = false;
  #sealed = false;
  /** `stop_reason` of the last answer. */
  #stopReason: string | null = null;

  constructor(
    sink: StreamSink,
    maxLineBytes?: number,
    asked?: Asked,
    secrets: StreamSecrets = null,
    required: RequiredServers = NO_SERVERS,
  ) {
    this.#required = required;
    this.#sink = sink;
    this.#meter = new SpendMeter(asked);
    const options = { program: "claude", secrets, repeating: PARTIAL, maxLineBytes };
    const isSettled = () => this.activity === "settled";
    this.#lines = new EventLines(sink, { ...options, isSettled }, (type, event) => {
      this.#event(type, event);
    });
  }

  get facts(): CallFacts {
    return { ...this.#facts, spend: this.#meter.spend(this.#facts.version) };
  }

  get activity(): Activity {
    if (this.#hasResult) return this.#work.pending.length > 0 ? "background" : "settled";
    if (this.#tools.size > 0) return "tool";
    return this.#work.hasSubagents ? "background" : "thinking";
  }

  /** An answer of the model is in progress. */
  get answering(): boolean {
    return this.#meter.answering && !this.#hasResult;
  }

  /** The model has ended its turn: the result follows. */
  get closing(): boolean {
    return this.#stopReason === "end_turn" && !this.#hasResult;
  }

  push(chunk: Buffer): void {
    this.#lines.push(chunk);
  }

  /** End of output. Also reads a last line without a line end. */
  end(): void {
    this.#lines.end();
    this.#conclude();
  }

  /** Call before raymond signals the client: later results are ignored (C2). */
  seal(): void {
    this.#conclude();
    this.#sealed = true;
  }

  #conclude(): void {
    if (this.#sealed) return;
    const { ended, pending } = this.#work;
    const endedWork = this.#hasResult ? [...ended, ...pending] : [];
    this.#update({ text: this.#lines.redacted(this.#message.text), endedWork });
  }

  #event(type: string, event: JsonObject): void {
    switch (type) {
      case "system":
        this.#system(event);
        break;
      case "stream_event":
        this.#resume();
        this.#partial(objectAt(event, "event"), textAt(event, "parent_tool_use_id"));
        break;
      case "assistant":
        this.#resume();
        this.#assistant(event);
        break;
      case "user":
        this.#resume();
        this.#user(event);
        break;
      case "rate_limit_event":
        this.#accept();
        this.#limit(event);
        break;
      case "result":
        this.#result(event);
        break;
      case "command_lifecycle":
        if (textAt(event, "wakeup_source") !== null) this.#work.awake();
        break;
      default:
        break;
    }
  }

  /** The client works. If a turn was complete, it has started another. */
  #resume(): void {
    this.#hasResult = false;
    this.#accept();
  }

  #partial(event: JsonObject, thread: string | null): void {
    const hasUsage = this.#meter.partial(event, thread);
    if (!hasUsage) return;
    this.#stopReason = textAt(objectAt(event, "delta"), "stop_reason");
    this.#spending();
  }

  #spending(): void {
    const { version, model } = this.#facts;
    this.#sink.spending(unpricedSpend({ version, model, unreported: this.#meter.used() }));
  }

  /** C1. */
  #accept(): void {
    if (this.#facts.accepted || this.#facts.version === null) return;
    this.#update({ accepted: true });
    this.#sink.accepted();
  }

  #system(event: JsonObject): void {
    const notice = noticeOf(event);
    if (notice !== null) this.#sink.notice(notice);
    this.#work.event(event, this.#hasResult);
    switch (textAt(event, "subtype") ?? "") {
      case "init":
        this.#hasResult = false;
        if (this.#facts.version === null) this.#update(checkServers(event, this.#required));
        // A second `init` starts another turn.
        this.#endTurn(true);
        this.#meter.named(textAt(event, "model") ?? this.#facts.model);
        this.#update({
          version: this.#facts.version ?? textAt(event, "claude_code_version") ?? "",
          model: textAt(event, "model") ?? this.#facts.model,
          session: textAt(event, "session_id") ?? this.#facts.session,
          missingServers: missingServers(event),
        });
        break;
      case "informational":
        if (valueAt(event, "prevent_continuation") === true) {
          this.#update({ stoppedByHook: hookReason(event) });
        }
        break;
      case "model_fallback":
        this.#meter.named(textAt(event, "fallback_model"));
        this.#update({ model: textAt(event, "fallback_model") ?? this.#facts.model });
        break;
      case "status":
        if (textAt(event, "status") === "requesting") this.#meter.requested();
        break;
      case "api_retry":
        this.#meter.unrequested();
        this.#resume();
        break;
      default:
        break;
    }
  }

  #assistant(event: JsonObject): void {
    const message = objectAt(event, "message");
    const error = textAt(event, "error");
    if (error !== null) this.#update({ error });
    // Synthetic messages of the client are not replies of the model.
    const isModel = error === null && textAt(message, "model") !== "<synthetic>";
    const main = textAt(event, "parent_tool_use_id") === null;
    if (isModel) this.#meter.message(message, main);
    else if (main) this.#meter.unrequested();
    for (const block of objectsAt(message, "content")) {
      switch (textAt(block, "type") ?? "") {
        case "text":
          if (isModel && main) this.#say(textAt(block, "text") ?? "");
          break;
        case "tool_use":
          this.#useTool(block);
          break;
        default:
          break;
      }
    }
  }

  #say(text: string): void {
    if (!this.#sealed) this.#message.say(text);
    if (text.trim() !== "") this.#sink.message(text);
  }

  #useTool(block: JsonObject): void {
    const id = textAt(block, "id");
    const tool = textAt(block, "name") ?? "?";
    const input = objectAt(block, "input");
    if (id !== null) {
      this.#tools.add(id);
      this.#denied.used(id, tool, input);
    }
    this.#sink.tool(tool, mainArgument(input));
    const withheld = withheldNotice(tool, input);
    if (withheld !== null) this.#sink.notice(withheld);
  }

  #user(event: JsonObject): void {
    const main = textAt(event, "parent_tool_use_id") === null;
    const { content } = objectAt(event, "message");
    if (main) this.#meter.sent(JSON.stringify(content ?? "").length);
    if (main && valueAt(event, "isSynthetic") === true) this.#rejected(event);
    for (const block of objectsAt(objectAt(event, "message"), "content")) {
      if (textAt(block, "type") !== "tool_result") continue;
      const id = textAt(block, "tool_use_id");
      if (id !== null) {
        this.#tools.delete(id);
        this.#denied.answered(id, block);
        this.#work.answered(id, objectAt(event, "tool_use_result"));
      }
      if (main && !this.#sealed) this.#message.toolAnswered();
    }
  }

  /** C4. The end of a task is not about the answer. */
  #rejected(event: JsonObject): void {
    if (this.#sealed || this.#stopReason === "max_tokens") return;
    if (textAt(objectAt(event, "origin"), "kind") !== "task-notification") this.#message.rejected();
  }

  #limit(event: JsonObject): void {
    const notice = noticeOf(event);
    if (notice !== null) this.#sink.notice(notice);
    const info = objectAt(event, "rate_limit_info");
    if (textAt(info, "status") === "rejected") this.#update({ limit: readLimit(info) });
  }

  #result(event: JsonObject): void {
    this.#hasResult = true;
    this.#tools.clear();
    this.#update({ session: textAt(event, "session_id") ?? this.#facts.session });
    this.#meter.result(event, this.#facts.version, this.#facts.model);
    const denials = [...this.#facts.denials, ...this.#denied.ofResult(event)];
    this.#update({ denials: denials.slice(0, MAX_DENIALS) });
    if (this.#sealed) return;
    this.#endTurn(numberAt(event, "num_turns") !== 0);
    this.#update({ verdict: readVerdict(event, this.#facts.error !== null) });
    const { pending } = this.#work;
    if (pending.length > 0) this.#sink.notice(`claude waits for ${pending.join(", ")}.`);
  }

  #endTurn(counts: boolean): void {
    if (!this.#sealed) this.#message.turnEnded(counts);
  }

  #update(facts: Partial<CallFacts>): void {
    this.#facts = { ...this.#facts, ...facts };
  }
}
