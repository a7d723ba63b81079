import type { JsonObject } from "../../../language/basics/json-object.ts";
import type { Denial } from "../../../machine/model/denial.ts";
import type { RecoveredSession } from "../../../machine/model/recovered-session.ts";
import type { SpendReport } from "../../../machine/model/spend.ts";
import type { Asked } from "../../common/asked.ts";
import {
  numberAt,
  objectAt,
  objectsAt,
  parseObject,
  textAt,
  valueAt,
} from "../../common/json-fields.ts";
import { FinalMessage } from "../../common/output/final-message.ts";
import { DENIED_BY_RULE } from "../output/denied-calls.ts";
import { readTotal } from "../output/figures.ts";
import { denialOf } from "../output/result-event.ts";
import { SpendMeter } from "../spend-meter.ts";

/**
 * Recovers the result of one call from a transcript of the client.
 *
 * R1  All lines added since the start of the call belong to it: a conversation never has two clients at the same time.
 *     `isOwn` selects these lines.
 * R2  The answer is complete if the last message of the main thread is from the model and ended its turn.
 * R3  A message may have several lines, each with the usage of the whole message.
 * R4  From 2.1.277 on the client stores the start value of the next total of the conversation when it exits, also by
 *     SIGINT or SIGTERM (`cost-state`, measured). It includes the answers above it, which `charge` checks. If the client
 *     was killed, later lines are in no later total.
 * R5  A request is sent when its prompt is stored. A prompt without an answer was in flight.
 * R6  Background commands and wake-ups without a notification are pending: the client would have waited for them.
 * R7  A note of the client after an answer that ended its turn rejects the answer, e.g. the feedback of a Stop hook.
 * R8  The result of a denied tool call is an error. From 2.1.330 on its line has `toolDenialKind`; 2.1.197 has only the
 *     text of the error (measured).
 */
export class RecoveredSessionReader {
  readonly #isOwn: (line: JsonObject) => boolean;
  readonly #message = new FinalMessage();
  readonly #meter: SpendMeter;
  /** Tool calls by id, and those that were denied. */
  readonly #calls = new Map<string, Denial>();
  readonly #denied: Denial[] = [];
  #hasPrompt = false;
  #complete = false;
  /** R6. Background commands by id. */
  readonly #tasks = new Set<string>();
  #hasWakeUp = false;
  /** A line is unreadable. */
  #torn = false;
  #version: string | null = null;
  #model: string | null = null;

  constructor(isOwn: (line: JsonObject) => boolean, asked?: Asked) {
    this.#isOwn = isOwn;
    this.#meter = new SpendMeter(asked);
  }

  /** Reads the lines of one transcript. Those of subagents must come first: a `cost-state` of the conversation includes them. */
  file(isOwn = this.#isOwn): (text: string) => void {
    return (text) => {
      const line = parseObject(text);
      if (line !== null) this.#line(line, isOwn);
      else if (text !== "") this.#torn = true;
    };
  }

  recollection(lost: boolean): RecoveredSession {
    return {
      hasPrompt: this.#hasPrompt,
      lost,
      answer: this.#hasPrompt && this.#isFinished ? (this.#message.text ?? "") : null,
      spend: this.#spend(),
      ...(this.#denied.length > 0 && { denials: this.#denied }),
    };
  }

  get #isFinished(): boolean {
    return this.#complete && this.#tasks.size === 0 && !this.#hasWakeUp;
  }

  /** R4. */
  #spend(): SpendReport {
    return {
      version: this.#version,
      model: this.#model,
      ...this.#meter.spend(this.#version),
      // Only newer clients store a total, always of the conversation.
      costMicroUsd: null,
      conversationMicroUsd: this.#meter.total,
      settled: true,
      context: null,
      isRecalled: true,
    };
  }

  #line(line: JsonObject, isOwn: (line: JsonObject) => boolean): void {
    const type = textAt(line, "type");
    // This line has no timestamp.
    if (type === "cost-state" && this.#hasPrompt) {
      const total = readTotal(line, "totalCostUSD");
      if (total !== null) this.#meter.stated(total);
      // The total includes an answer that a full disk has torn.
      if (this.#torn) this.#meter.unrequested();
    }
    if (textAt(line, "timestamp") === null || !isOwn(line)) return;
    const main = valueAt(line, "isSidechain") !== true;
    if (type === "user") this.#results(line);
    if (type === "user" && main) this.#user(line);
    if (type === "assistant") this.#assistant(line, main);
    // A task that ends during a turn.
    if (type === "attachment" && main) this.#taskEnded(JSON.stringify(valueAt(line, "attachment")));
  }

  /** R8. */
  #results(line: JsonObject): void {
    for (const block of objectsAt(objectAt(line, "message"), "content")) {
      const call = this.#calls.get(textAt(block, "tool_use_id") ?? "");
      if (call !== undefined && isDenied(line, block)) this.#denied.push(call);
    }
  }

  #user(line: JsonObject): void {
    const hasAnswer = this.#complete;
    this.#complete = false;
    const message = objectAt(line, "message");
    const blocks = objectsAt(message, "content");
    const { length } = JSON.stringify(valueAt(message, "content") ?? "");
    if (blocks.some((block) => textAt(block, "type") === "tool_result")) {
      this.#message.toolAnswered();
      this.#started(objectAt(line, "toolUseResult"));
      // A killed tool is reported as an error, and its client was killed immediately after.
      if (!blocks.some((block) => valueAt(block, "is_error") === true)) this.#request(length);
      return;
    }
    const text = textAt(message, "content") ?? textAt(blocks[0] ?? {}, "text") ?? "";
    // R7.
    if (valueAt(line, "isMeta") === true && hasAnswer) this.#message.rejected();
    if (isOfClient(line, text)) return;
    // R6. A message without a task is that of the wake-up.
    if (!this.#taskEnded(text)) this.#hasWakeUp = false;
    // A later message, e.g. the end of a background task, starts another turn.
    if (this.#hasPrompt) this.#message.turnEnded(true);
    this.#hasPrompt = true;
    this.#request(length);
  }

  /** R6. */
  #started(result: JsonObject): void {
    const task = textAt(result, "backgroundTaskId");
    if (task !== null) this.#tasks.add(task);
    const wakeUp = numberAt(result, "scheduledFor");
    if (wakeUp !== null) this.#hasWakeUp = wakeUp !== 0;
  }

  /** Whether the text is the notification of a task. */
  #taskEnded(text = ""): boolean {
    const task = /<task-id>([^<]*)<\/task-id>/.exec(text)?.[1];
    if (task !== undefined) this.#tasks.delete(task);
    return task !== undefined;
  }

  /** R5. */
  #request(chars: number): void {
    this.#meter.sent(chars);
    this.#meter.requested();
  }

  #assistant(line: JsonObject, main: boolean): void {
    const message = objectAt(line, "message");
    const isModel = textAt(message, "model") !== "<synthetic>";
    if (main) this.#complete = isModel && textAt(message, "stop_reason") === "end_turn";
    if (!isModel) {
      this.#meter.unrequested();
      return;
    }
    this.#meter.written(message, main);
    this.#version = textAt(line, "version") ?? this.#version;
    for (const block of objectsAt(message, "content")) {
      if (textAt(block, "type") !== "tool_use") continue;
      const call = denialOf(textAt(block, "name") ?? "?", objectAt(block, "input"));
      this.#calls.set(textAt(block, "id") ?? "", call);
    }
    if (!main) return;
    this.#model = textAt(message, "model") ?? this.#model;
    this.#meter.named(this.#model);
    for (const block of objectsAt(message, "content")) {
      if (textAt(block, "type") === "text") this.#message.say(textAt(block, "text") ?? "");
    }
  }
}

/** R8. The output of a failed command starts with its exit code. */
function isDenied(line: JsonObject, block: JsonObject): boolean {
  if (valueAt(block, "is_error") !== true) return false;
  if (textAt(line, "toolDenialKind") !== null) return true;
  const text = textAt(block, "content") ?? "";
  return DENIED.test(text) || DENIED_BY_RULE.test(text);
}

const DENIED =
  /^(?!Exit code)(?:This (?:Bash )?command\b.*\bapproval\b|.*\bbut you haven't granted it yet|Permission to use .* has been denied)/;

/** User messages that the client wrote itself: notes, a summary, an interruption, a command. */
function isOfClient(line: JsonObject, text: string): boolean {
  if (valueAt(line, "isMeta") === true || valueAt(line, "isCompactSummary") === true) return true;
  return /^(?:\[Request interrupted by user|<command-name>|<local-command-)/.test(text);
}
