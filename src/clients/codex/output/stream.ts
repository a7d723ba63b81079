import type { Invocation } from "../../../engine/ports/backend.ts";
import type { JsonObject } from "../../../language/basics/json-object.ts";
import type { SessionId } from "../../../machine/model/agent.ts";
import { type SpendReport, unpricedSpend } from "../../../machine/model/spend.ts";
import { objectAt, objectsAt, readCount, textAt } from "../../common/json-fields.ts";
import type { Activity, AgentStream, StreamSink } from "../../common/output/agent-stream.ts";
import { EventLines, type StreamSecrets } from "../../common/output/event-lines.ts";
import { FinalMessage } from "../../common/output/final-message.ts";
import type { CallFacts, Verdict } from "../facts.ts";
import { pricedUse } from "../list-price.ts";
import { oneLine, RolloutReader } from "../rollouts/rollout-reader.ts";

/** The model that a call requests, and the tokens of its conversation before, and of the last answer in it. */
type Requested = Required<Pick<Invocation, "model" | "contextTokens">> & {
  readonly lastOutput: number;
};

/**
 * Reads one call from the output of the client (docs/codex.md, "Output") and from what it adds to the conversation, which
 * has the stored prompt, the usage of each answer and the cause of an error.
 *
 * C1  `accepted` is reported once, when the conversation contains the prompt (`turn.started` precedes that by about
 *     100 ms), or at the first message or tool call, which answers it.
 * C2  After {@link seal} no event changes the verdict or the text. The usage still counts.
 */
export class CodexStream implements AgentStream {
  readonly #sink: StreamSink;
  readonly #secrets: StreamSecrets;
  readonly #lines: EventLines;
  readonly #message = new FinalMessage();
  readonly #rollout: RolloutReader;
  /** Items in progress: commands, edits, tools of MCP servers. */
  readonly #tools = new Set<string>();
  #session: SessionId | null = null;
  #text: string | null = null;
  #verdict: Verdict | null = null;
  #total: JsonObject | null = null;
  #reported = 0;
  #accepted = false;
  #settled = false;
  #sealed = false;

  constructor(
    sink: StreamSink,
    { model = null, contextTokens = 0, lastOutput = 0 }: Partial<Requested> = {},
    secrets: StreamSecrets = null,
  ) {
    this.#sink = sink;
    this.#secrets = secrets;
    this.#rollout = new RolloutReader(model, contextTokens, lastOutput);
    const options = { program: "codex", secrets, isSettled: () => this.#settled };
    this.#lines = new EventLines(sink, options, (type, event) => {
      this.#event(type, event);
    });
  }

  get facts(): CallFacts {
    const { hasPrompt, denials, resetsAt, cause } = this.#rollout;
    const verdict = this.#verdict;
    return {
      session: this.#session,
      accepted: hasPrompt || this.#accepted,
      text: this.#sealed ? this.#text : this.#said(),
      verdict: verdict?.kind === "failed" ? { ...verdict, cause } : verdict,
      spend: this.#spend(),
      denials,
      resetsAt,
    };
  }

  get activity(): Activity {
    if (this.#settled) return "settled";
    return this.#tools.size > 0 ? "tool" : "thinking";
  }

  get answering(): boolean {
    return this.#rollout.answering && !this.#settled;
  }

  get closing(): boolean {
    return this.#rollout.closing && !this.#settled;
  }

  push(chunk: Buffer): void {
    this.#lines.push(chunk);
  }

  end(): void {
    this.#lines.end();
  }

  seal(): void {
    if (this.#sealed) return;
    this.#text = this.#said();
    this.#sealed = true;
  }

  signaled(): void {
    this.#rollout.signaled();
  }

  /** A line that the client has added to the conversation. */
  stored(written: string): void {
    this.#rollout.line(this.#secrets?.json(written) ?? written);
    if (this.#rollout.hasPrompt && !this.#accepted) {
      this.#accept();
      this.#sink.alive();
    }
    const spend = this.#rollout.spend;
    const spent = spend.tokens.input + spend.tokens.output + spend.tokens.cacheRead;
    if (spent === this.#reported) return;
    this.#reported = spent;
    this.#sink.spending(spend);
    if (!this.#settled) this.#sink.alive();
  }

  /** C1. */
  #accept(): void {
    if (this.#accepted) return;
    this.#accepted = true;
    this.#sink.accepted();
  }

  /** If the conversation cannot be read, only the total of the stream is left. It includes earlier calls. */
  #spend(): SpendReport {
    if (this.#reported > 0 || this.#total === null) return this.#rollout.finalSpend;
    const { model } = this.#rollout;
    const all = readCount(this.#total, "input_tokens", 0);
    const cacheRead = Math.min(all, readCount(this.#total, "cached_input_tokens", 0));
    const output = readCount(this.#total, "output_tokens", 0);
    const tokens = { input: all - cacheRead, output, cacheRead, cacheWrite: 0 };
    return unpricedSpend({ version: null, model, unreported: [pricedUse(model, tokens)] });
  }

  /**
   * From the conversation, since the output lacks some tool calls (such as rejected commands), and text before a tool call
   * is not the final message.
   */
  #said(): string | null {
    return this.#lines.redacted(this.#rollout.text ?? this.#message.text);
  }

  #event(type: string, event: JsonObject): void {
    switch (type) {
      case "thread.started":
        this.#session = textAt(event, "thread_id") ?? this.#session;
        break;
      case "turn.started":
        this.#settled = false;
        break;
      case "item.started":
        this.#started(objectAt(event, "item"));
        break;
      case "item.completed":
        this.#completed(objectAt(event, "item"));
        break;
      case "error":
        this.#sink.notice(`codex: ${oneLine(textAt(event, "message") ?? "unknown error")}`);
        break;
      case "turn.completed":
        this.#total = objectAt(event, "usage");
        this.#end({ kind: "completed" });
        break;
      case "turn.failed": {
        const message = textAt(objectAt(event, "error"), "message") ?? "unknown error";
        this.#end({ kind: "failed", message, cause: this.#rollout.cause });
        break;
      }
      default:
        break;
    }
  }

  #started(item: JsonObject): void {
    const tool = toolOf(item);
    if (tool === null) return;
    this.#accept();
    this.#tools.add(textAt(item, "id") ?? "");
    this.#sink.tool(tool.name, oneLine(tool.argument));
  }

  #completed(item: JsonObject): void {
    const id = textAt(item, "id") ?? "";
    const type = textAt(item, "type") ?? "";
    if (type === "agent_message") this.#say(textAt(item, "text") ?? "");
    if (type === "error") this.#sink.notice(`codex: ${oneLine(textAt(item, "message") ?? "")}`);
    const tool = toolOf(item);
    if (tool === null) return;
    // Some items, such as edits, are reported only when they are complete.
    if (!this.#tools.delete(id)) this.#sink.tool(tool.name, oneLine(tool.argument));
    if (!this.#sealed) this.#message.toolAnswered();
  }

  #say(text: string): void {
    this.#accept();
    if (!this.#sealed) this.#message.say(text);
    if (text.trim() !== "") this.#sink.message(text);
  }

  #end(verdict: Verdict): void {
    this.#settled = true;
    this.#tools.clear();
    if (this.#sealed) return;
    this.#message.turnEnded(true);
    this.#verdict = verdict;
  }
}

/** The tool call of an item; null for other items. */
function toolOf(item: JsonObject): { readonly name: string; readonly argument: string } | null {
  switch (textAt(item, "type") ?? "") {
    case "command_execution":
      return { name: "shell", argument: commandOf(textAt(item, "command") ?? "") };
    case "file_change": {
      const places = objectsAt(item, "changes").map((change) => textAt(change, "path") ?? "?");
      return { name: "edit", argument: places.join(", ") };
    }
    case "mcp_tool_call": {
      const [server, tool] = [textAt(item, "server") ?? "?", textAt(item, "tool") ?? "?"];
      return { name: `${server}.${tool}`, argument: "" };
    }
    case "web_search":
      return { name: "web search", argument: textAt(item, "query") ?? "" };
    default:
      return null;
  }
}

/** Without the shell that the client starts: `/bin/bash -lc 'npm test'`. */
function commandOf(line: string): string {
  const [, quote = "", command = line] = /^\S+ -l?c (["']?)(.*)\1$/s.exec(line) ?? [];
  if (quote === '"') return command.replace(/\\(["\\$`])/g, "$1");
  return command.replaceAll(`'\\''`, "'");
}
