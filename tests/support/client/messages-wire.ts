import { randomBytes } from "node:crypto";
import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { Answer, Usage } from "./messages-answer.ts";
import type { Turn } from "./messages-turn.ts";

/** True when the answer went out in full: then it costs money. */
export async function send(response: ServerResponse, turn: Turn, answer: Answer): Promise<boolean> {
  switch (answer.kind) {
    case "hang":
      return false;
    case "reset":
      response.socket?.destroy();
      return false;
    case "error":
      sendError(response, answer.status, answer.message, answer.headers);
      return false;
    case "stall":
    case "cut":
    case "text":
    case "tool":
      return turn.stream ? sendStream(response, turn, answer) : sendWhole(response, turn, answer);
  }
}

type Spoken = Extract<Answer, { kind: "text" | "tool" | "stall" | "cut" }>;

function blocks(answer: Spoken) {
  const text = { type: "text" as const, text: answer.text };
  if (answer.kind !== "tool") return [text];
  const call = {
    type: "tool_use" as const,
    id: id("toolu"),
    name: answer.name,
    input: answer.input,
  };
  return answer.text === "" ? [call] : [text, call];
}

function message(turn: Turn, answer: Spoken) {
  return {
    id: id("msg"),
    type: "message",
    role: "assistant",
    model: turn.model,
    content: blocks(answer),
    stop_reason: stopReason(answer),
    stop_sequence: null,
    usage: tokens(answer.usage),
  };
}

function stopReason(answer: Spoken): string {
  if (answer.kind === "tool") return "tool_use";
  return answer.kind === "text" ? answer.stop : "end_turn";
}

async function sendWhole(response: ServerResponse, turn: Turn, answer: Spoken): Promise<boolean> {
  if (answer.kind === "stall") return false;
  if (answer.kind === "cut") {
    response.socket?.destroy();
    return false;
  }
  await sleep(answer.delayMs ?? 0);
  sendJson(response, 200, message(turn, answer), answer.headers);
  return true;
}

async function sendStream(response: ServerResponse, turn: Turn, answer: Spoken): Promise<boolean> {
  const { content, stop_reason, usage, ...start } = message(turn, answer);
  const event = (type: string, data: object): void => {
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
  };
  if (answer.delayMs !== undefined) await sleep(answer.delayMs);
  response.writeHead(200, {
    "content-type": "text/event-stream",
    "cache-control": "no-cache",
    "request-id": id("req"),
    ...answer.headers,
  });
  event("message_start", {
    message: { ...start, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } },
  });
  event("ping", {});
  for (const [index, block] of content.entries()) {
    const empty = block.type === "text" ? { ...block, text: "" } : { ...block, input: {} };
    event("content_block_start", { index, content_block: empty });
    const whole = block.type === "text" ? block.text : JSON.stringify(block.input);
    for (const piece of cut(whole, answer.pieces ?? 2)) {
      const delta =
        block.type === "text"
          ? { type: "text_delta", text: piece }
          : { type: "input_json_delta", partial_json: piece };
      event("content_block_delta", { index, delta });
      if (answer.kind === "stall") return false;
      if (answer.kind === "cut") {
        if (answer.by === "overload") {
          event("error", { error: { type: "overloaded_error", message: "Overloaded" } });
          response.end();
        } else {
          // What was written must arrive before the connection breaks.
          await (answer.arrived?.() ?? sleep(20));
          response.socket?.destroy();
        }
        return true;
      }
      if (answer.pauseMs !== undefined) await sleep(answer.pauseMs);
      if (response.destroyed) return false;
    }
    event("content_block_stop", { index });
  }
  event("message_delta", { delta: { stop_reason, stop_sequence: null }, usage });
  event("message_stop", {});
  response.end();
  return true;
}

function cut(text: string, pieces: number): readonly string[] {
  const size = Math.max(1, Math.ceil(text.length / pieces));
  return Array.from({ length: Math.ceil(text.length / size) }, (_, i) =>
    text.slice(i * size, (i + 1) * size),
  );
}

const ERROR_TYPES: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  529: "overloaded_error",
};

/** Answers with an error in the form of the API. */
export function sendError(
  response: ServerResponse,
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  const error = { type: ERROR_TYPES[status] ?? "api_error", message: text };
  sendJson(response, status, { type: "error", error, request_id: id("req") }, headers);
}

/** Answers with JSON. */
export function sendJson(
  response: ServerResponse,
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, {
    "content-type": "application/json",
    "request-id": id("req"),
    ...headers,
  });
  response.end(JSON.stringify(body));
}

/** Tokens as the API writes them. */
export function tokens(usage: Usage = {}) {
  return {
    input_tokens: usage.input ?? 1000,
    output_tokens: usage.output ?? 100,
    cache_read_input_tokens: usage.cacheRead ?? 0,
    cache_creation_input_tokens: usage.cacheWrite ?? 0,
    service_tier: "standard",
  };
}

function id(prefix: string): string {
  return `${prefix}_${randomBytes(12).toString("hex")}`;
}
