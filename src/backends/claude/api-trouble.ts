import type { Ending } from "./ending.ts";
import type { Verdict } from "./facts.ts";
import { promptTrouble } from "./prompt-trouble.ts";
import { quoted, type Trouble, trouble } from "./trouble.ts";

/** What a `result` with an error says is wrong; null where there is none, or it says nothing of use. */
export function apiTrouble(ending: Ending): Trouble | null {
  const { facts } = ending;
  const { verdict } = facts;
  if (verdict?.isError !== true) return null;
  return (
    limitTrouble(verdict, facts.limit, facts.error) ??
    promptTrouble(ending, verdict) ??
    byStatus(verdict, ending) ??
    byError(facts.error, verdict) ??
    byWords(verdict)
  );
}

/**
 * From the event, or, without one, from the wording of the final error (spec
 * 1.9). An event alone is not enough: work may go on beyond a limit, and end
 * by something else.
 */
function limitTrouble(
  verdict: Verdict,
  limit: Ending["facts"]["limit"],
  error: string | null,
): Trouble | null {
  const turnedAway =
    verdict.apiStatus === 429 || (verdict.apiStatus === null && error === "rate_limit");
  if (!turnedAway || (limit === null && !LIMIT_WORDS.test(verdict.text))) return null;
  const name = (limit?.type ?? "usage").replaceAll("_", "-");
  return {
    ...trouble("limit", `The ${name} limit is reached: ${quoted(verdict.text)}.`),
    hint: "The run can wait for the reset; with --no-wait it stops, and raymond --resume goes on later.",
    resetsAt: limit?.resetsAt ?? epochIn(verdict.text),
  };
}

const LIMIT_WORDS =
  /\b(hit|reached) your .{0,40}limit\b|\busage limit reached\b|\blimit reached\b.{0,20}\bresets\b/i;

/** An older wording carries the reset as `…limit reached|1790000000`, in epoch seconds. */
function epochIn(text: string): number | null {
  const seconds = /limit reached\|(\d{10})\b/i.exec(text)?.[1];
  return seconds === undefined ? null : Number(seconds) * 1000;
}

function byStatus(verdict: Verdict, { call }: Ending): Trouble | null {
  const { apiStatus: status } = verdict;
  if (status === null) return null;
  const said = `The API answered ${String(status)}: ${quoted(verdict.text)}.`;
  if (status >= 500 || status === 429 || status === 408) return trouble("outage", said);
  switch (status) {
    case 401:
    case 403:
      return trouble("deterministic", said, LOG_IN);
    case 404:
      return trouble(
        "deterministic",
        `The model ${call.model ?? "of the client's settings"} was not found: ${quoted(verdict.text)}.`,
        "Name another model in the front matter, by --model or in config.toml.",
      );
    default:
      return trouble("deterministic", said, REQUEST);
  }
}

/** The client's own words for what went wrong, where the API gave no status. */
function byError(error: string | null, verdict: Verdict): Trouble | null {
  const said = quoted(verdict.text);
  switch (error ?? "") {
    case "authentication_failed":
      return trouble("deterministic", `claude could not log in: ${said}.`, LOG_IN);
    case "billing_error":
      return trouble(
        "deterministic",
        `The account cannot pay: ${said}.`,
        "Look at the account's plan and credit.",
      );
    case "model_not_found":
      return trouble("deterministic", `The model was not found: ${said}.`, "Name another model.");
    case "rate_limit":
    case "overloaded":
      return trouble("outage", `The API turned the request away: ${said}.`);
    default:
      return null;
  }
}

function byWords({ text, stopReason }: Verdict): Trouble | null {
  if (/not logged in|invalid api key|please run \/login/i.test(text)) {
    return trouble("deterministic", `claude is not logged in: ${quoted(text)}.`, LOG_IN);
  }
  if (stopReason === "refusal") {
    return trouble(
      "deterministic",
      `The model refused this request: ${quoted(text)}.`,
      "Reword the prompt, or name another model for this state.",
    );
  }
  if (/certificate|\bSSL\b|\bTLS\b/i.test(text)) {
    return trouble(
      "deterministic",
      `The API's certificate was not accepted: ${quoted(text)}.`,
      PROXY,
    );
  }
  if (NETWORK_WORDS.test(text))
    return trouble("outage", `The API was not reached: ${quoted(text)}.`, PROXY);
  return null;
}

const NETWORK_WORDS =
  /unable to connect|connection (error|refused|dropped|reset|closed|timed? ?out)|network|fetch failed|socket|getaddrinfo|E(CONN|NOTFOUND|AI_AGAIN|TIMEDOUT|PIPE|HOSTUNREACH|NETUNREACH)|timed? ?out|overloaded|temporarily unavailable/i;

const LOG_IN = "Run `claude` once and log in, or set ANTHROPIC_API_KEY.";
const REQUEST = "Read the request in the debug files; the same request would fail again.";
const PROXY = "Look at the network, at HTTPS_PROXY and at ANTHROPIC_BASE_URL.";
