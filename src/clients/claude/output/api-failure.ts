import { type Failure, failure } from "../../../machine/model/failure.ts";
import { type AnswerEnds, answerEndFailure, failureOf } from "../../common/answer-end.ts";
import { cannotPay, limitReached, paymentFailure } from "../../common/call-failures.ts";
import { clause, permanent } from "../../common/ending.ts";
import { mentionsLimit, parseResetTime } from "../../common/limit-text.ts";
import type { ClaudeEnding, Verdict } from "../facts.ts";
import { promptFailure } from "./prompt-failure.ts";

/** The failure in a `result` with an error; null if there is no error, or it has no known cause. */
export function apiFailure(ending: ClaudeEnding): Failure | null {
  const { facts } = ending;
  const { verdict } = facts;
  if (verdict?.isError !== true) return null;
  // Text of the model does not count.
  const own = facts.text?.includes(verdict.text) === true ? "" : verdict.text;
  return (
    paymentFailure(own) ??
    limitFailure(ending, verdict) ??
    answerEndFailure(ENDS, own) ??
    promptFailure(ending, verdict) ??
    byStatus(verdict, ending) ??
    byError(facts.error, verdict) ??
    byWords(verdict)
  );
}

/**
 * A usage limit, by its event or by the text of the final error (docs/claude.md, "Errors"). An event alone is not enough:
 * the client may continue after a limit and fail for another reason.
 */
function limitFailure(
  { facts: { limit, error, text: said }, at, timeZone }: ClaudeEnding,
  verdict: Verdict,
): Failure | null {
  const { apiStatus, text } = verdict;
  const isMentioned = mentionsLimit(text);
  // The spend limit of an organization is a status 400.
  const isRejected =
    apiStatus === 429 ||
    (apiStatus === 400 && isMentioned) ||
    (apiStatus === null && error === "rate_limit");
  // Old clients report a limit only as text, without a status or an error. Text of the model does not count.
  const isTextOnly =
    apiStatus === null && error === null && isMentioned && said?.includes(text) !== true;
  if (!isTextOnly && (!isRejected || (limit === null && !isMentioned))) return null;
  const name = (limit?.type ?? "usage").replaceAll("_", "-");
  const resetsAt = limit?.resetsAt ?? parseResetTime(text, at, timeZone);
  return limitReached(`The ${name} limit is reached: ${clause(text)}.`, resetsAt);
}

function byStatus(verdict: Verdict, { call }: ClaudeEnding): Failure | null {
  const { apiStatus: status } = verdict;
  if (status === null) return null;
  const said = `The API answered ${String(status)}: ${clause(verdict.text)}.`;
  if (status >= 500 || status === 429 || status === 408) return failure("outage", said);
  switch (status) {
    case 401:
    case 403:
      return permanent(said, LOG_IN);
    case 404:
      return permanent(
        `Model ${call.model ?? "of the client's settings"} not found: ${clause(verdict.text)}.`,
        "Set another model in the front matter, with --model or in config.toml.",
      );
    default:
      return permanent(said, REQUEST);
  }
}

/** The client's error code, if the API returned no status. */
function byError(error: string | null, verdict: Verdict): Failure | null {
  const said = clause(verdict.text);
  switch (error ?? "") {
    case "authentication_failed":
      return permanent(`claude could not log in: ${said}.`, LOG_IN);
    case "billing_error":
      return cannotPay(verdict.text);
    case "model_not_found":
      return permanent(`Model not found: ${said}.`, "Set another model.");
    case "rate_limit":
    case "overloaded":
      return failure("outage", `The API rejected the request: ${said}.`);
    default:
      return null;
  }
}

function byWords({ text, stopReason }: Verdict): Failure | null {
  if (/not logged in|invalid api key|please run \/login/i.test(text)) {
    return permanent(`claude is not logged in: ${clause(text)}.`, LOG_IN);
  }
  if (stopReason === "refusal") {
    return failureOf("refusal", text);
  }
  if (/certificate|\bSSL\b|\bTLS\b/i.test(text)) {
    return permanent(`The certificate of the API was rejected: ${clause(text)}.`, PROXY);
  }
  if (NETWORK_WORDS.test(text))
    return failure("outage", `Cannot reach the API: ${clause(text)}.`, PROXY);
  return null;
}

/** Answers that the client has already requested several times. */
const ENDS: AnswerEnds = [
  [/reached its context window limit/i, "context-limit"],
  [/exceeded the \S+ output token maximum/i, "output-limit"],
];

const NETWORK_WORDS =
  /unable to connect|connection (error|refused|dropped|reset|closed|timed? ?out)|network|fetch failed|socket|getaddrinfo|E(CONN|NOTFOUND|AI_AGAIN|TIMEDOUT|PIPE|HOSTUNREACH|NETUNREACH)|timed? ?out|overloaded|temporarily unavailable/i;

const LOG_IN = "Run `claude` once and log in, or set ANTHROPIC_API_KEY.";
const REQUEST = "See the request in the debug files. The same request would fail again.";
const PROXY = "Check the network, HTTPS_PROXY and ANTHROPIC_BASE_URL.";
