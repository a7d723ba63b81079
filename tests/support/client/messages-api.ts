import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { WAIT_MS } from "../until.ts";
import type { Answer, Reply } from "./messages-answer.ts";
import { readTurn, type Turn } from "./messages-turn.ts";
import { send, sendError, sendJson, tokens } from "./messages-wire.ts";

/** A request and its answer. */
export interface Exchange extends Turn {
  readonly answer: Answer;
}

/** A mock of the Messages API for the real client. */
export interface MessagesApi {
  /** Value for `ANTHROPIC_BASE_URL`. */
  readonly url: string;
  /** All message requests so far, in order. */
  readonly turns: readonly Exchange[];
  /** Expected cost of all complete answers, micro-dollars. */
  readonly charged: number;
  /** Resolves with the first past or future turn that matches. Rejects after `ms`. */
  arrival(predicate: (turn: Exchange) => boolean, ms?: number): Promise<Exchange>;
  /** Clears turns and cost, and uses another reply function. */
  script(reply: Reply): void;
  close(): Promise<void>;
}

/** Starts a mock on a free loopback port. */
export async function startMessagesApi(options: { readonly reply: Reply }): Promise<MessagesApi> {
  let reply = options.reply;
  let turns: Exchange[] = [];
  let charged = 0;
  let watchers: ((exchange: Exchange) => void)[] = [];

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const path = new URL(request.url ?? "/", "http://stand-in").pathname;
    const bytes = Buffer.concat(chunks);
    if (request.method === "HEAD") {
      response.writeHead(200).end();
    } else if (path === "/v1/messages/count_tokens") {
      sendJson(response, 200, { input_tokens: Math.ceil(bytes.length / 4) });
    } else if (path === "/v1/messages") {
      const turn = readTurn(bytes, request.headers);
      const answer = stepOf(reply(turn), turn.toolResults.length);
      const exchange = { ...turn, answer };
      turns.push(exchange);
      for (const watch of watchers) watch(exchange);
      if (await send(response, turn, answer)) charged += price(turn.model, answer);
    } else {
      sendError(response, 404, `no such path: ${path}`);
    }
  };

  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      // A killed client resets its connection.
      if (!response.writable) return;
      sendError(response, 400, `the stand-in failed: ${String(error)}`);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));

  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    get turns() {
      return turns;
    },
    get charged() {
      return charged;
    },
    arrival: (predicate, ms = WAIT_MS) => {
      const past = turns.find(predicate);
      if (past !== undefined) return Promise.resolve(past);
      return new Promise((resolve, reject) => {
        const seen = turns.map((turn) => turn.prompt.slice(0, 80));
        const timer = setTimeout(() => {
          reject(
            new Error(`No such turn came in ${String(ms)} ms; before it: ${seen.join(" | ")}`),
          );
        }, ms);
        watchers.push((exchange) => {
          if (!predicate(exchange)) return;
          clearTimeout(timer);
          resolve(exchange);
        });
      });
    },
    script: (next) => {
      reply = next;
      turns = [];
      charged = 0;
      watchers = [];
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A mock that is closed after the test. */
export async function messagesApi(reply: Reply): Promise<MessagesApi> {
  const api = await startMessagesApi({ reply });
  onTestFinished(() => api.close());
  return api;
}

/** Prices in the clients, dollars per million input and output tokens. */
const PRICES: readonly (readonly [RegExp, number, number])[] = [
  [/haiku-5-5/, 0.1, 0.5],
  [/haiku/, 1, 5],
  [/opus/, 5, 25],
  [/sonnet-5-5/, 2, 10],
  [/./, 3, 15],
];

function price(model: string, answer: Answer): number {
  if (answer.kind !== "text" && answer.kind !== "tool" && answer.kind !== "cut") return 0;
  const { input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens } =
    tokens(answer.usage);
  const [, input, output] = PRICES.find(([pattern]) => pattern.test(model)) ?? [null, 0, 0];
  const read = cache_read_input_tokens * 0.1 + cache_creation_input_tokens * 1.25;
  // For an answer that was cut off, the API has reported one token.
  const said = answer.kind === "cut" ? 1 : output_tokens;
  const prompt = input_tokens + cache_read_input_tokens + cache_creation_input_tokens;
  const long = model.includes("haiku-5-5") && prompt > 100_000 ? 5 : 1;
  return Math.round(((input_tokens + read) * input + said * output) * long);
}

/** The answer in a chain of tool calls after this number of results. */
function stepOf(answer: Answer, results: number): Answer {
  return answer.kind === "tool" && results > 0 ? stepOf(answer.then, results - 1) : answer;
}
