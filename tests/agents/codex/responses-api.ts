import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What the model does in answer to one request. */
export type Answer =
  | { readonly kind: "says"; readonly text: string; readonly usage?: Usage }
  /** Calls the shell once. `before`: text of the same answer. */
  | {
      readonly kind: "runs";
      readonly command: string;
      readonly before?: string;
      readonly usage?: Usage;
    }
  | { readonly kind: "hangs" }
  /** Sends the start of an answer and nothing more. */
  | { readonly kind: "stalls" }
  /** Sends the whole text, but never the end of the answer. */
  | { readonly kind: "unfinished"; readonly text: string }
  /** Sends the start of an answer, then cuts the connection. */
  | { readonly kind: "cuts"; readonly usage?: Usage }
  /** Sends a whole text, and ends the answer early for a reason, such as `content_filter`. */
  | {
      readonly kind: "ends-early";
      readonly reason: string;
      readonly text: string;
      readonly usage?: Usage;
    }
  /** Ends the stream with a failed response. */
  | { readonly kind: "breaks"; readonly code: string; readonly message: string }
  | {
      readonly kind: "fails";
      readonly status: number;
      readonly error: Readonly<Record<string, unknown>>;
      readonly headers?: Readonly<Record<string, string>>;
    };

/** Tokens of an answer, in the words of the API: cached ones are part of the input. */
export interface Usage {
  readonly input: number;
  readonly cached: number;
  readonly output: number;
}

export const USAGE: Usage = { input: 1_000, cached: 100, output: 50 };

export function says(text: string, usage = USAGE): Answer {
  return { kind: "says", text, usage };
}

export function runs(command: string, usage = USAGE): Answer {
  return { kind: "runs", command, usage };
}

export function fails(
  status: number,
  error: Readonly<Record<string, unknown>>,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return { kind: "fails", status, error, headers };
}

/** One request of the client. */
export interface Request {
  /** From 1. */
  readonly number: number;
  readonly model: string;
  readonly effort: string | null;
  /** Texts of the user, without those that the client adds. */
  readonly prompts: readonly string[];
  /** All text of the request. */
  readonly text: string;
  /** Results of tools after the last prompt. */
  readonly results: readonly string[];
  readonly tools: readonly string[];
  readonly session: string | null;
}

/** A local API of OpenAI's Responses. */
export interface ResponsesApi {
  readonly url: string;
  /** All requests of models so far. */
  readonly requests: readonly Request[];
  /** The usage of all completed answers. */
  readonly billed: readonly (Usage & { readonly model: string })[];
  /** Resolves at the request with this number, from 1. */
  until(count: number): Promise<void>;
  close(): Promise<void>;
}

export async function startResponsesApi(
  reply: (request: Request) => Answer,
): Promise<ResponsesApi> {
  const requests: Request[] = [];
  const billed: (Usage & { model: string })[] = [];
  const waiting: { readonly count: number; readonly resolve: () => void }[] = [];
  const server = createServer((incoming, response) => {
    void readBody(incoming).then((body) => {
      if (!(incoming.url ?? "").endsWith("/responses")) {
        response.writeHead(404, { "content-type": "application/json" }).end("{}");
        return;
      }
      const request = requestOf(body, incoming, requests.length + 1);
      requests.push(request);
      for (const { count, resolve } of waiting) if (count <= requests.length) resolve();
      const usage = answer(reply(request), response, requests.length);
      if (usage !== null) billed.push({ ...usage, model: request.model });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${String(port)}/v1`,
    requests,
    billed,
    until: (count) =>
      requests.length >= count
        ? Promise.resolve()
        : new Promise((resolve) => waiting.push({ count, resolve })),
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}

async function readBody(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

interface Item {
  readonly type?: string;
  readonly role?: string;
  readonly content?: string | readonly { readonly text?: string }[];
  readonly output?: unknown;
}

interface Body {
  readonly model?: string;
  readonly reasoning?: { readonly effort?: string } | null;
  readonly input?: readonly Item[];
  readonly tools?: readonly { readonly name?: string; readonly type?: string }[];
}

function requestOf(text: string, { headers }: IncomingMessage, number: number): Request {
  const body = JSON.parse(text) as Body;
  const items = body.input ?? [];
  const last = items.findLastIndex(isPrompt);
  const session = headers["session-id"] ?? headers["session_id"];
  return {
    number,
    model: body.model ?? "",
    effort: body.reasoning?.effort ?? null,
    prompts: items.filter(isPrompt).map(textOf),
    text,
    results: items
      .slice(last + 1)
      .filter(({ type }) => type?.endsWith("call_output"))
      .map(({ output }) => (typeof output === "string" ? output : JSON.stringify(output))),
    tools: (body.tools ?? []).map(({ name, type }) => name ?? type ?? ""),
    session: typeof session === "string" ? session : null,
  };
}

/** The client adds messages in the role of the user. */
function isPrompt(item: Item): boolean {
  return item.role === "user" && !/^\s*(?:<[a-z_]+>|# AGENTS\.md)/.test(textOf(item));
}

function textOf({ content }: Item): string {
  if (typeof content === "string") return content;
  return (content ?? []).map(({ text = "" }) => text).join("");
}

/** Returns the usage that the answer has reported; null: none. */
function answer(given: Answer, response: ServerResponse, number: number): Usage | null {
  switch (given.kind) {
    case "hangs":
      return null;
    case "fails":
      response.writeHead(given.status, { "content-type": "application/json", ...given.headers });
      response.end(JSON.stringify({ error: given.error }));
      return null;
    case "stalls":
      stream(response, number).text("I begin, and");
      return null;
    case "unfinished":
      stream(response, number).message(given.text);
      return null;
    case "cuts":
      stream(response, number).text("I begin, and");
      setTimeout(() => response.destroy(), 50);
      return { ...(given.usage ?? USAGE), cached: 0, output: 0 };
    case "ends-early": {
      const { usage = USAGE } = given;
      const events = stream(response, number);
      events.message(given.text);
      events.send("response.incomplete", {
        response: {
          ...{ id: `resp_${String(number)}`, status: "incomplete", usage: usageOf(usage) },
          incomplete_details: { reason: given.reason },
        },
      });
      response.end();
      return usage;
    }
    case "breaks": {
      const { code, message } = given;
      stream(response, number).send("response.failed", {
        response: { id: `resp_${String(number)}`, status: "failed", error: { code, message } },
      });
      response.end();
      return null;
    }
    case "says": {
      const events = stream(response, number);
      events.message(given.text);
      return events.complete(given.usage ?? USAGE);
    }
    case "runs": {
      const events = stream(response, number);
      if (given.before !== undefined) events.message(given.before);
      events.item({
        ...{ type: "function_call", id: `fc_${String(number)}`, call_id: `call_${String(number)}` },
        ...{ name: "exec_command", arguments: JSON.stringify({ cmd: given.command }) },
        status: "completed",
      });
      return events.complete(given.usage ?? USAGE);
    }
  }
}

function stream(response: ServerResponse, number: number) {
  const id = `resp_${String(number)}`;
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  const send = (type: string, fields: Readonly<Record<string, unknown>>): void => {
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`);
  };
  send("response.created", { response: { id, status: "in_progress", output: [] } });
  const item = (of: Readonly<Record<string, unknown>>): void => {
    send("response.output_item.added", { output_index: 0, item: { ...of, status: "in_progress" } });
    send("response.output_item.done", { output_index: 0, item: of });
  };
  const text = (delta: string): void => {
    const start = { type: "message", id: `msg_${String(number)}`, role: "assistant", content: [] };
    send("response.output_item.added", { output_index: 0, item: start });
    send("response.output_text.delta", {
      item_id: start.id,
      output_index: 0,
      content_index: 0,
      delta,
    });
  };
  return {
    send,
    item,
    text,
    message: (words: string) => {
      text(words);
      const content = [{ type: "output_text", text: words, annotations: [] }];
      const done = { type: "message", id: `msg_${String(number)}`, role: "assistant", content };
      send("response.output_item.done", {
        output_index: 0,
        item: { ...done, status: "completed" },
      });
    },
    complete: (usage: Usage) => {
      send("response.completed", {
        response: { id, status: "completed", output: [], usage: usageOf(usage) },
      });
      response.end();
      return usage;
    },
  };
}

function usageOf({ input, cached, output }: Usage) {
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cached },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 10 },
    total_tokens: input + output,
  };
}
