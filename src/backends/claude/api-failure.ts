import { type Failure, failure } from "../../core/machine/failure.ts";
import type { CallEnding } from "./ending.ts";
import type { Verdict } from "./facts.ts";
import { resetFromWords, speaksOfLimit } from "./limit-words.ts";
import { promptFailure } from "./prompt-failure.ts";
import { clause } from "./said.ts";

/** What a `result` with an error says is wrong; null where there is none, or it says nothing of use. */
export function apiFailure(ending: CallEnding): Failure | null {
  const { facts } = ending;
  const { verdict } = facts;
  if (verdict?.isError !== true) return null;
  return (
    limitFailure(ending, verdict) ??
    promptFailure(ending, verdict) ??
    byStatus(verdict, ending) ??
    byError(facts.error, verdict) ??
    byWords(verdict)
  );
}

/**
 * From the event, or, without one, from the wording of the final error
 * (docs/claude.md, "What becomes of an error"). An event alone is not enough:
 * work may go on beyond a limit, and end by something else.
 */
function limitFailure(
  { facts: { limit, error, text: said }, at, timeZone }: CallEnding,
  verdict: Verdict,
): Failure | null {
  const { apiStatus, text } = verdict;
  const words = speaksOfLimit(text);
  const turnedAway = apiStatus === 429 || (apiStatus === null && error === "rate_limit");
  // Old clients have only words for it, neither a status nor an error; the model's words are none.
  const onlyWords = apiStatus === null && error === null && words && said?.includes(text) !== true;
  if (!onlyWords && (!turnedAway || (limit === null && !words))) return null;
  const name = (limit?.type ?? "usage").replaceAll("_", "-");
  return {
    class: "limit",
    message: `The ${name} limit is reached: ${clause(text)}.`,
    hint: "The run can wait for the reset; with --no-wait it stops, and can be resumed later.",
    resetsAt: limit?.resetsAt ?? resetFromWords(text, at, timeZone),
  };
}

function byStatus(verdict: Verdict, { call }: CallEnding): Failure | null {
  const { apiStatus: status } = verdict;
  if (status === null) return null;
  const said = `The API answered ${String(status)}: ${clause(verdict.text)}.`;
  if (status >= 500 || status === 429 || status === 408) return failure("outage", said);
  switch (status) {
    case 401:
    case 403:
      return failure("deterministic", said, LOG_IN);
    case 404:
      return failure(
        "deterministic",
        `The model ${call.model ?? "of the client's settings"} was not found: ${clause(verdict.text)}.`,
        "Name another model in the front matter, by --model or in config.toml.",
      );
    default:
      return failure("deterministic", said, REQUEST);
  }
}

/** The client's own words for what went wrong, where the API gave no status. */
function byError(error: string | null, verdict: Verdict): Failure | null {
  const said = clause(verdict.text);
  switch (error ?? "") {
    case "authentication_failed":
      return failure("deterministic", `claude could not log in: ${said}.`, LOG_IN);
    case "billing_error":
      return failure(
        "deterministic",
        `The account cannot pay: ${said}.`,
        "Look at the account's plan and credit.",
      );
    case "model_not_found":
      return failure("deterministic", `The model was not found: ${said}.`, "Name another model.");
    case "rate_limit":
    case "overloaded":
      return failure("outage", `The API turned the request away: ${said}.`);
    default:
      return null;
  }
}

function byWords({ text, stopReason }: Verdict): Failure | null {
  if (/not logged in|invalid api key|please run \/login/i.test(text)) {
    return failure("deterministic", `claude is not logged in: ${clause(text)}.`, LOG_IN);
  }
  if (stopReason === "refusal") {
    return failure(
      "deterministic",
      `The model refused this request: ${clause(text)}.`,
      "Reword the prompt, or name another model for this state.",
    );
  }
  if (/certificate|\bSSL\b|\bTLS\b/i.test(text)) {
    return failure(
      "deterministic",
      `The API's certificate was not accepted: ${clause(text)}.`,
      PROXY,
    );
  }
  if (NETWORK_WORDS.test(text))
    return failure("outage", `The API was not reached: ${clause(text)}.`, PROXY);
  return null;
}

const NETWORK_WORDS =
  /unable to connect|connection (error|refused|dropped|reset|closed|timed? ?out)|network|fetch failed|socket|getaddrinfo|E(CONN|NOTFOUND|AI_AGAIN|TIMEDOUT|PIPE|HOSTUNREACH|NETUNREACH)|timed? ?out|overloaded|temporarily unavailable/i;

const LOG_IN = "Run `claude` once and log in, or set ANTHROPIC_API_KEY.";
const REQUEST = "Read the request in the debug files; the same request would fail again.";
const PROXY = "Look at the network, at HTTPS_PROXY and at ANTHROPIC_BASE_URL.";
