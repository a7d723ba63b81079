import type { Turn } from "./messages-turn.ts";

/** Tokens of one answer. What is left out is zero, but for input (1,000) and output (100). */
export interface Usage {
  readonly input?: number;
  readonly output?: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
}

interface Manner {
  readonly usage?: Usage;
  readonly headers?: Readonly<Record<string, string>>;
  /** Wait before the first byte, ms. */
  readonly delayMs?: number;
  /** In how many pieces the text is streamed (2), and the pause after each, ms. */
  readonly pieces?: number;
  readonly pauseMs?: number;
}

interface CutManner {
  /** The connection breaks once this resolves: a client under load loses what it has not read by then. */
  readonly arrived?: () => Promise<unknown>;
}

/** Reasons to end an answer early. */
type EarlyStop = "max_tokens" | "refusal" | "model_context_window_exceeded";

/** What the stand-in does with one request. */
export type Answer =
  | (Manner & {
      readonly kind: "text";
      readonly text: string;
      readonly stop: "end_turn" | EarlyStop;
    })
  /** A call of a tool, with a text before it; once the tool has answered, `then`. */
  | (Manner & {
      readonly kind: "tool";
      readonly name: string;
      readonly input: Readonly<Record<string, unknown>>;
      readonly text: string;
      readonly then: Answer;
    })
  | {
      readonly kind: "error";
      readonly status: number;
      readonly message: string;
      readonly headers: Readonly<Record<string, string>>;
    }
  /** Begins the text, and never ends it. */
  | (Manner & { readonly kind: "stall"; readonly text: string })
  /** Begins the text, and breaks off: the connection, or the stream by an error of the API. */
  | (Manner &
      CutManner & {
        readonly kind: "cut";
        readonly text: string;
        readonly by: "reset" | "overload";
      })
  /** Takes the request, and never answers. */
  | { readonly kind: "hang" }
  /** Breaks the connection. */
  | { readonly kind: "reset" };

/** Decides what is answered. */
export type Reply = (turn: Turn) => Answer;

/** The model says this. */
export function says(text: string, manner: Manner & { readonly stop?: EarlyStop } = {}): Answer {
  return { kind: "text", text, stop: "end_turn", ...manner };
}

/** The model runs a shell command, and replies with `then` to its output. */
export function runs(command: string, then: Answer, manner: Manner = {}): Answer {
  return uses("Bash", { command, description: "run it" }, then, manner);
}

/** The model calls a tool, and replies with `then` to its result. */
export function uses(
  name: string,
  input: Readonly<Record<string, unknown>>,
  then: Answer,
  manner: Manner & { readonly text?: string } = {},
): Answer {
  return { kind: "tool", name, input, text: "", then, ...manner };
}

/** The model starts this text and then hangs. */
export function stalls(text: string, manner: Manner = {}): Answer {
  return { kind: "stall", text, ...manner };
}

/** The model begins to say this, and the answer is cut off: it is paid for as far as it came. */
export function cutOff(
  text: string,
  by: "reset" | "overload",
  manner: Manner & CutManner = {},
): Answer {
  return { kind: "cut", text, by, ...manner };
}

/** The API refuses with an HTTP status. */
export function fails(
  status: number,
  message = `stand-in ${String(status)}`,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return { kind: "error", status, message, headers };
}

/** The usage limit of a subscription is reached, until `resetsAt` (epoch seconds). */
export function limited(resetsAt: number): Answer {
  return fails(429, "This request would exceed your account's rate limit.", {
    ...limitHeaders("rejected", resetsAt),
    "x-should-retry": "false",
  });
}

/** The headers that report the limits of a subscription. */
export function limitHeaders(
  status: "allowed" | "allowed_warning" | "rejected",
  resetsAt: number,
): Readonly<Record<string, string>> {
  const prefix = "anthropic-ratelimit-unified";
  return {
    [`${prefix}-status`]: status,
    [`${prefix}-reset`]: String(resetsAt),
    [`${prefix}-representative-claim`]: "five_hour",
    [`${prefix}-5h-status`]: status,
    [`${prefix}-5h-reset`]: String(resetsAt),
    [`${prefix}-5h-utilization`]: status === "allowed" ? "0.1" : "1",
    ...(status === "allowed_warning" ? { [`${prefix}-5h-surpassed-threshold`]: "0.9" } : {}),
    [`${prefix}-overage-status`]: "rejected",
    [`${prefix}-overage-disabled-reason`]: "org_level_disabled",
  };
}

/** Matches a prompt by a part of it, by an expression, or a whole turn by a predicate. */
export type Pattern = string | RegExp | ((turn: Turn) => boolean);

/** An answer, or what makes it when the turn has come. */
export type Choice = Answer | Reply;

/** What is answered to which prompts. */
export type AnswerTable = readonly (readonly [Pattern, Choice, ...(readonly Choice[])])[];

/**
 * Answers by the first line of a table that matches the turn's prompt. Several
 * answers in a line are given one a prompt, in order; the last of them stays.
 * What no line matches is refused with 400, so that the test says what came.
 */
export function answers(table: AnswerTable): Reply {
  const given = table.map(() => 0);
  return (turn) => {
    const row = table.findIndex(([pattern]) => matches(pattern, turn));
    const [, ...choices] = table[row] ?? [null];
    // A turn with a tool result continues the answer that called the tool.
    const again = turn.toolResults.length > 0;
    const index = Math.max(0, (given[row] ?? 0) - (again ? 1 : 0));
    if (!again) given[row] = index + 1;
    const choice = choices[Math.min(index, choices.length - 1)];
    if (typeof choice === "function") return choice(turn);
    return choice ?? fails(400, `the stand-in has no answer for: ${turn.prompt.slice(0, 300)}`);
  };
}

function matches(pattern: Pattern, turn: Turn): boolean {
  if (typeof pattern === "function") return pattern(turn);
  return typeof pattern === "string" ? turn.prompt.includes(pattern) : pattern.test(turn.prompt);
}
