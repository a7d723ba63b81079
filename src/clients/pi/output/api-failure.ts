import { type Failure, failure } from "../../../machine/model/failure.ts";
import { type AnswerEnds, answerEndFailure } from "../../common/answer-end.ts";
import { limitReached, paymentFailure } from "../../common/call-failures.ts";
import { clause, permanent } from "../../common/ending.ts";
import { mentionsLimit, parseResetTime } from "../../common/limit-text.ts";
import { LOG_IN } from "../errors.ts";
import type { PiEnding } from "../facts.ts";

/** The failure in the last answer; null if it ended without error, or for an unknown reason. */
export function apiFailure(ending: PiEnding): Failure | null {
  const text = ending.facts.verdict?.error ?? null;
  if (text === null) return null;
  return (
    paymentFailure(text) ??
    limitFailure(text, ending) ??
    answerEndFailure(ENDS, text) ??
    byStatus(text, ending) ??
    byWords(text)
  );
}

/** A usage limit of a subscription, or a quota. Other errors 429 are overload. */
function limitFailure(text: string, { at, timeZone }: PiEnding): Failure | null {
  if (!mentionsLimit(text) && !LIMIT.test(text)) return null;
  const minutes = /try again in ~?(\d{1,6}) min/i.exec(text)?.[1];
  const resetsAt =
    minutes === undefined ? parseResetTime(text, at, timeZone) : at + Number(minutes) * 60_000;
  return limitReached(`The usage limit is reached: ${clause(text)}.`, resetsAt);
}

/** Codes and words that pi itself does not retry, without those of a missing payment. */
const LIMIT = /usage_limit_reached|UsageLimitError|usage limit/i;

/** pi does not request such an answer again. */
const ENDS: AnswerEnds = [
  [/the model refused to complete the request|finish_?reason: refusal/i, "refusal"],
  [/finish_?reason: content_filter|content_filtered|guardrail_intervened/i, "content-filter"],
  [
    /prompt is too long|context[_ ](?:length|window)[_ ]exceeded|(?:maximum|model's) context length|request_too_large|exceeds the context window/i,
    "context-limit",
  ],
  [/unhandled stop reason: /i, "other"],
];

/** Errors start with the HTTP status: `401: {…}` or `401 {…}`, depending on the API. */
function byStatus(text: string, { call }: PiEnding): Failure | null {
  const [, digits] = /^(?:HTTP |status )?([45]\d{2})\b/i.exec(text.trim()) ?? [];
  if (digits === undefined) return null;
  const status = Number(digits);
  const said = `The API answered ${clause(text)}.`;
  if (status >= 500 || status === 429 || status === 408) return failure("outage", said);
  switch (status) {
    case 401:
    case 403:
      return permanent(said, LOG_IN);
    case 404:
      return permanent(
        `Model ${call.model ?? "of the settings of pi"} not found: ${clause(text)}.`,
        "Set another model in the front matter, with --model or in config.toml.",
      );
    default:
      return permanent(
        said,
        "See the request in the debug files. The same request would fail again.",
      );
  }
}

function byWords(text: string): Failure | null {
  if (/no api key|authentication failed|unauthorized|invalid.{0,10}api key/i.test(text)) {
    return permanent(`pi could not log in: ${clause(text)}.`, LOG_IN);
  }
  if (NETWORK.test(text)) {
    return failure(
      "outage",
      `Cannot reach the API: ${clause(text)}.`,
      "Check the network, HTTPS_PROXY and the base URL of the provider.",
    );
  }
  return null;
}

const NETWORK =
  /connection|network|fetch failed|socket|getaddrinfo|E(?:CONN|NOTFOUND|AI_AGAIN|TIMEDOUT|PIPE)|timed? ?out|overloaded|rate.?limit|too many requests|unavailable|terminated|server.?error|stream ended/i;
