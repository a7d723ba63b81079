import type { JsonObject } from "../../../language/basics/json-object.ts";
import type { Denial } from "../../../machine/model/denial.ts";
import type { SpendReport } from "../../../machine/model/spend.ts";
import {
  LAST_SECOND,
  numberAt,
  objectAt,
  objectsAt,
  parseObject,
  textAt,
  valueAt,
} from "../../common/json-fields.ts";
import { MAX_DENIALS } from "../../common/output/agent-stream.ts";
import { FinalMessage } from "../../common/output/final-message.ts";
import { type Cause, NO_CAUSE } from "../facts.ts";
import { RolloutMeter } from "./rollout-meter.ts";

/**
 * Reads the part of a rollout that one call has added (docs/codex.md, "Conversations").
 *
 * F1  All lines added since the start of the call belong to it: the client refuses a second writer.
 * F2  `token_usage_record` has the usage of one response, and is written when that response is complete. Totals of the
 *     conversation are not used: a branch and a rerun inherit them.
 * F3  `task_complete` ends a turn, also a failed one, and then it has the cause. A turn without it was cut off.
 * F4  Messages of the user that the client adds are not prompts. It marks the kind of each.
 * F5  A request is sent when its prompt, or the result of a tool that was not aborted, is stored. One without usage was
 *     cut off. A request that failed before any output is free.
 * F6  Each answer that began has a `token_count`, which can follow the results of its tools. One without a usage record means
 *     that the answer broke off: cut by the network, or ended by the provider. The client may send the request again. A
 *     request without an answer has none (measured).
 */
export class RolloutReader {
  readonly #message = new FinalMessage();
  /** Tool calls without a result, by id. */
  readonly #calls = new Map<string, Denial>();
  readonly #denied: Denial[] = [];
  readonly #meter: RolloutMeter;
  #hasPrompt = false;
  #ended: { readonly error: string | null } | null = null;
  #cause: Cause = NO_CAUSE;
  #resetsAt: number | null = null;
  #answering = false;
  /** A tool was aborted: the client sends no further request. */
  #isAborted = false;
  /** raymond has signaled the client. */
  #isSignaled = false;
  /** A tool has ended since: only a `token_count` shows that the client has sent its result. */
  #isUnsent = false;
  #hasCalls = false;
  #isLast = false;
  /** A usage record without its `token_count` so far. */
  #isRecorded = false;

  /**
   * `model`: the requested one, until the rollout names it. `contextTokens` of the conversation before the call, and
   * `lastOutput`: tokens of its last answer.
   */
  constructor(model: string | null = null, contextTokens = 0, lastOutput = 0) {
    this.#meter = new RolloutMeter(model, contextTokens, lastOutput);
  }

  get hasPrompt(): boolean {
    return this.#hasPrompt;
  }

  /** The client waits for an answer of the model. */
  get answering(): boolean {
    return this.#answering;
  }

  /** The last answer calls no tool, so it ends the turn. */
  get closing(): boolean {
    return this.#isLast && this.#ended === null;
  }

  /** The final message so far. */
  get text(): string | null {
    return this.#message.text;
  }

  /** The final message of a complete turn; null if it was cut off or has failed. */
  get answer(): string | null {
    const isComplete = this.#hasPrompt && this.#ended?.error === null;
    return isComplete ? (this.#message.text ?? "") : null;
  }

  get cause(): Cause {
    return this.#cause;
  }

  get denials(): readonly Denial[] {
    return this.#denied;
  }

  get model(): string | null {
    return this.#meter.model;
  }

  get resetsAt(): number | null {
    return this.#resetsAt;
  }

  /** The usage of answers that are complete or were interrupted. */
  get spend(): SpendReport {
    return this.#meter.spend(false);
  }

  /** {@link spend} of a call whose client is dead: with the request in flight (F5). */
  get finalSpend(): SpendReport {
    return this.#meter.spend(this.#isSent);
  }

  /** raymond signals the client: it probably does not send the results of its tools. */
  signaled(): void {
    this.#isSignaled = true;
  }

  line(text: string): void {
    const line = parseObject(text);
    if (line === null) return;
    const payload = objectAt(line, "payload");
    switch (textAt(line, "type") ?? "") {
      case "turn_context":
        this.#meter.use(textAt(payload, "model"));
        break;
      case "response_item":
        this.#item(payload);
        break;
      case "token_usage_record":
        this.#usage(objectAt(payload, "usage"));
        break;
      case "event_msg":
        this.#event(payload);
        break;
      default:
        break;
    }
  }

  #item(item: JsonObject): void {
    const type = textAt(item, "type") ?? "";
    if (type === "message") {
      const text = objectsAt(item, "content")
        .map((part) => textAt(part, "text") ?? "")
        .join("");
      if (textAt(item, "role") === "assistant") {
        this.#message.say(text);
        this.#meter.said(text);
      } else {
        this.#meter.sent(text);
      }
      if (textAt(item, "role") === "user" && isPrompt(item, text)) this.#prompt();
    } else if (type.endsWith("_call_output")) {
      this.#result(item);
    } else if (type.endsWith("_call")) {
      this.#call(item);
    }
  }

  #prompt(): void {
    if (this.#hasPrompt) this.#message.turnEnded(true);
    this.#hasPrompt = true;
    this.#ended = null;
    this.#isAborted = false;
    this.#isUnsent = false;
    this.#isRecorded = false;
    this.#answering = true;
    this.#isLast = false;
  }

  /** Searches and images of the provider are part of the answer, and have no result of their own. */
  #call(item: JsonObject): void {
    const id = textAt(item, "call_id");
    if (id === null) return;
    this.#hasCalls = true;
    const input = textAt(item, "arguments") ?? textAt(item, "input") ?? "";
    this.#meter.said(input);
    const command = textAt(parseObject(input) ?? {}, "cmd") ?? input;
    this.#calls.set(id, { tool: textAt(item, "name") ?? "?", input: oneLine(command) });
  }

  #result(item: JsonObject): void {
    const id = textAt(item, "call_id") ?? "";
    const call = this.#calls.get(id);
    this.#calls.delete(id);
    const output = textAt(item, "output") ?? "";
    this.#meter.sent(output);
    const isFull = this.#denied.length >= MAX_DENIALS;
    if (call !== undefined && REJECTED.test(output) && !isFull) this.#denied.push(call);
    this.#message.toolAnswered();
    this.#answering = true;
    this.#isAborted = ABORTED.test(output);
    this.#isUnsent = this.#isSignaled;
    this.#hasCalls = false;
    this.#isLast = false;
  }

  /** F2. */
  #usage(usage: JsonObject): void {
    this.#meter.answered(usage);
    this.#isRecorded = true;
    this.#answering = false;
    this.#isLast = !this.#hasCalls;
  }

  /** F6. */
  #counted(): void {
    if (!this.#isRecorded && this.#answering && !this.#isAborted) this.#meter.broke();
    this.#isRecorded = false;
  }

  #event(event: JsonObject): void {
    switch (textAt(event, "type") ?? "") {
      case "task_started":
        this.#meter.windowIs(numberAt(event, "model_context_window"));
        break;
      case "token_count":
        this.#counted();
        this.#limits(objectAt(event, "rate_limits"));
        break;
      case "task_complete":
        this.#end(objectAt(event, "error"));
        break;
      case "turn_aborted":
        this.#interrupt();
        break;
      default:
        break;
    }
  }

  /** F3. */
  #end(error: JsonObject): void {
    this.#ended = { error: textAt(error, "message") };
    if (this.#ended.error !== null && this.#meter.hasOutput) this.#interrupt();
    this.#answering = false;
    this.#cause = this.#ended.error === null ? NO_CAUSE : causeOf(error);
    this.#meter.rejected(REJECTED_RECORDS[this.#cause.code ?? ""] ?? 0);
  }

  get #isSent(): boolean {
    return this.#answering && !this.#isAborted && !this.#isUnsent;
  }

  /** F5. */
  #interrupt(): void {
    if (this.#isSent) this.#meter.cutOff();
    this.#answering = false;
  }

  /** Only windows that are used up. With several of them, the call succeeds after the last one. */
  #limits(limits: JsonObject): void {
    const ends = ["primary", "secondary"].flatMap((name) => {
      const window = objectAt(limits, name);
      const end = numberAt(window, "resets_at");
      const isUsedUp = (numberAt(window, "used_percent") ?? 0) >= 100;
      return isUsedUp && end !== null && end > 0 && end <= LAST_SECOND ? [end * 1000] : [];
    });
    this.#resetsAt = ends.length === 0 ? null : Math.max(...ends);
  }
}

/** Causes of a rejected request, and how many `token_count` the client writes for it (measured). */
const REJECTED_RECORDS: Readonly<Record<string, number>> = {
  usage_limit_exceeded: 1,
  context_window_exceeded: 2,
};

/** `"usage_limit_exceeded"`, or `{"http_connection_failed": {"http_status_code": 401}}`. */
function causeOf(error: JsonObject): Cause {
  const info = valueAt(error, "codex_error_info");
  if (typeof info === "string") return { code: info, status: null };
  const [code = null] = Object.keys(objectAt(error, "codex_error_info"));
  if (code === null) return NO_CAUSE;
  const details = objectAt(objectAt(error, "codex_error_info"), code);
  return { code, status: numberAt(details, "http_status_code") };
}

/** F4. */
function isPrompt(item: JsonObject, text: string): boolean {
  const kinds = valueAt(
    objectAt(item, "internal_chat_message_metadata_passthrough"),
    "content_item_kinds",
  );
  if (Array.isArray(kinds)) return kinds.some((kind) => String(kind).startsWith("user."));
  return !/^\s*(?:<[a-z_]+>|# AGENTS\.md)/.test(text);
}

/** The client itself rejected a tool call. A command that fails in the sandbox looks like any failed command. */
const REJECTED = /^exec_command failed: .{0,60}\bRejected\(|^(?:patch|command) rejected\b/;

/** The client was interrupted during a tool call. */
const ABORTED = /\baborted by user\s*$/;

/** Maximum characters of an argument. */
const MAX_LENGTH = 200;

/** The first line, shortened. */
export function oneLine(text: string): string {
  const [line = ""] = text.trim().split("\n");
  return line.length > MAX_LENGTH ? `${line.slice(0, MAX_LENGTH - 1)}…` : line;
}
