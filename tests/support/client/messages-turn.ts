import type { IncomingHttpHeaders } from "node:http";
import { z } from "zod";

/** A parsed request to the Messages API. */
export interface Turn {
  /** User messages, oldest first, trimmed, without the additions of the client. */
  readonly prompts: readonly string[];
  /** The last user message, or an empty text. */
  readonly prompt: string;
  /** Tool results since that prompt. */
  readonly toolResults: readonly ToolResult[];
  /** Model messages. */
  readonly replies: readonly string[];
  readonly session: string | null;
  readonly model: string;
  readonly system: string;
  /** Names of the available tools. */
  readonly tools: readonly string[];
  readonly effort: string | null;
  readonly maxTokens: number | null;
  /** Whether the client requests an event stream. */
  readonly stream: boolean;
  /** Size of the request, bytes. */
  readonly bytes: number;
  readonly raw: unknown;
}

export interface ToolResult {
  readonly text: string;
  readonly isError: boolean;
}

/** Parses the body of a message request. Throws a ZodError if it is invalid. */
export function readTurn(bytes: Buffer, headers: IncomingHttpHeaders): Turn {
  const raw: unknown = JSON.parse(bytes.toString());
  const body = bodySchema.parse(raw);
  const prompts: string[] = [];
  const replies: string[] = [];
  let toolResults: ToolResult[] = [];
  for (const message of body.messages) {
    if (message.role === "assistant") replies.push(textOf(message.content));
    if (message.role !== "user") continue;
    // After an interruption a client may send old and new prompt as two blocks of one message.
    for (const block of blocksOf(message.content)) {
      if (block.type === "tool_result") {
        const text = textOf(block.content ?? [])
          .replace(REMINDERS, "")
          .trimEnd();
        toolResults.push({ text, isError: block.is_error === true });
      } else if (block.type === "text" && isAuthored(block.text ?? "")) {
        prompts.push((block.text ?? "").trimEnd());
        toolResults = [];
      }
    }
  }
  return {
    prompts,
    prompt: prompts.at(-1) ?? "",
    toolResults,
    replies,
    session: sessionOf(headers, body.metadata?.user_id ?? ""),
    model: body.model,
    system: textOf(body.system ?? []),
    tools: (body.tools ?? []).map((tool) => tool.name),
    effort: body.output_config?.effort ?? null,
    maxTokens: body.max_tokens ?? null,
    stream: body.stream === true,
    bytes: bytes.length,
    raw,
  };
}

interface Block {
  readonly type: string;
  readonly text?: string | undefined;
  readonly content?: string | readonly Block[] | undefined;
  readonly is_error?: boolean | undefined;
}

const blockSchema: z.ZodType<Block> = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  get content() {
    return contentSchema.optional();
  },
  is_error: z.boolean().optional(),
});
const contentSchema = z.union([z.string(), z.array(blockSchema)]);
const bodySchema = z.looseObject({
  model: z.string(),
  messages: z.array(z.looseObject({ role: z.string(), content: contentSchema })),
  system: contentSchema.optional(),
  tools: z.array(z.looseObject({ name: z.string() })).optional(),
  max_tokens: z.number().optional(),
  stream: z.boolean().optional(),
  output_config: z.looseObject({ effort: z.string().optional() }).optional(),
  metadata: z.looseObject({ user_id: z.string().optional() }).optional(),
});

function blocksOf(content: string | readonly Block[]): readonly Block[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

function textOf(content: string | readonly Block[]): string {
  return blocksOf(content)
    .flatMap((block) => (block.type === "text" ? [block.text ?? ""] : []))
    .join("\n");
}

/** Additions of the client to user messages. */
const REMINDERS = /<system-reminder>[\s\S]*?<\/system-reminder>/g;

function isAuthored(text: string): boolean {
  return text.replace(REMINDERS, "").trim() !== "";
}

function sessionOf(headers: IncomingHttpHeaders, userId: string): string | null {
  const header = headers["x-claude-code-session-id"];
  if (typeof header === "string") return header;
  return /session_(?:id":")?([0-9a-f-]{36})/.exec(userId)?.[1] ?? null;
}
