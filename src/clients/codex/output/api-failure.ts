import { type Failure, failure } from "../../../machine/model/failure.ts";
import { type AnswerEnds, answerEndFailure, failureOf } from "../../common/answer-end.ts";
import { limitReached, paymentFailure } from "../../common/call-failures.ts";
import { clause, permanent } from "../../common/ending.ts";
import { mentionsLimit, parseResetTime } from "../../common/limit-text.ts";
import { LOG_IN } from "../errors.ts";
import type { CodexEnding, Verdict } from "../facts.ts";
import { limitEnd } from "./limit-end.ts";

type Failed = Extract<Verdict, { kind: "failed" }>;

/** The failure of a turn, by the cause that the client has stored, or else by its message; null without one. */
export function apiFailure(ending: CodexEnding): Failure | null {
  const { verdict } = ending.facts;
  if (verdict?.kind !== "failed") return null;
  return (
    paymentFailure(verdict.message) ??
    limitFailure(ending, verdict) ??
    answerEndFailure(ENDS, verdict.message) ??
    byCode(ending, verdict) ??
    byStatus(verdict) ??
    byWords(verdict.message) ??
    failure("crash", `codex reported an error: ${clause(verdict.message)}.`)
  );
}

/** A usage limit ends at a known time. */
function limitFailure(
  { facts: { resetsAt }, at, timeZone }: CodexEnding,
  { message, cause }: Failed,
): Failure | null {
  if (cause.code !== "usage_limit_exceeded" && !mentionsLimit(message)) return null;
  const until =
    resetsAt ?? limitEnd(message, at, timeZone) ?? parseResetTime(message, at, timeZone);
  return limitReached(`The usage limit is reached: ${clause(message)}.`, until);
}

/** The client names a content filter a broken stream, and repeats the request (docs/codex.md, "Errors"). */
const ENDS: AnswerEnds = [
  [/reason: content_filter/, "content-filter"],
  [/reason: max_output_tokens/, "output-limit"],
  [/Incomplete response returned, reason: /, "other"],
];

function byCode({ call }: CodexEnding, { message, cause }: Failed): Failure | null {
  const said = clause(message);
  switch (cause.code ?? "") {
    case "context_window_exceeded":
      return failureOf("context-limit", message);
    case "model_not_found":
      return permanent(
        `Model ${call.model ?? "of the client's settings"} not found: ${said}.`,
        "Set another model in the front matter, with --model or in config.toml.",
      );
    case "unauthorized":
      return permanent(`The API rejected the login: ${said}.`, LOG_IN);
    case "cyber_policy":
    case "bad_request":
      return permanent(`The API rejected the request: ${said}.`, REQUEST);
    case "server_overloaded":
    case "internal_server_error":
    case "rate_limit_exceeded":
    case "response_stream_connection_failed":
    case "response_stream_disconnected":
      return failure("outage", `The API answered: ${said}.`);
    default:
      return null;
  }
}

function byStatus({ message, cause }: Failed): Failure | null {
  const { code, status } = cause;
  if (status === null) {
    // Without an answer there is no status.
    return code === "http_connection_failed"
      ? failure("outage", `Cannot reach the API: ${clause(message)}.`, PROXY)
      : null;
  }
  const said = `The API answered ${String(status)}: ${clause(message)}.`;
  if (status >= 500 || status === 429 || status === 408) return failure("outage", said);
  return permanent(said, status === 401 || status === 403 ? LOG_IN : REQUEST);
}

/** For messages without a cause, and if the conversation cannot be read. */
function byWords(message: string): Failure | null {
  const said = clause(message);
  if (/missing environment variable/i.test(message)) {
    return permanent(
      `codex has no key: ${said}.`,
      "Set the variable, and pass it with env_pass if it is not in the environment of prompts.",
    );
  }
  const [, code] = /\bstatus:? (\d{3})\b/i.exec(message) ?? [];
  if (code !== undefined) {
    return byStatus({ kind: "failed", message, cause: { code: null, status: Number(code) } });
  }
  if (/certificate|\bSSL\b|\bTLS\b/i.test(message)) {
    return permanent(`The certificate of the API was rejected: ${said}.`, PROXY);
  }
  return UNAVAILABLE.test(message)
    ? failure("outage", `Cannot reach the API: ${said}.`, PROXY)
    : null;
}

const UNAVAILABLE =
  /connection failed|stream disconnected|high demand|at capacity|error sending request|timed? ?out/i;

const REQUEST = "See the request in the debug files. The same request would fail again.";
const PROXY = "Check the network, HTTPS_PROXY and the base_url in the client's config.toml.";
