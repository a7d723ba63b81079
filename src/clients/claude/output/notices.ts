import type { JsonObject } from "../../../language/basics/json-object.ts";
import { numberAt, objectAt, textAt } from "../../common/json-fields.ts";
import { shortened } from "../../common/output/main-argument.ts";

/** The notice for the user in a `system` or `rate_limit_event` line; null for most of them. */
export function noticeOf(event: JsonObject): string | null {
  if (textAt(event, "type") === "rate_limit_event") return limitNotice(event);
  switch (textAt(event, "subtype") ?? "") {
    case "api_retry":
      return retryNotice(event);
    case "status":
      return textAt(event, "status") === "compacting" ? "Compacting the conversation." : null;
    case "compact_boundary":
      return "The conversation was compacted: older messages are now a summary.";
    case "model_fallback":
      return fallbackNotice(event);
    case "informational":
    case "notification":
      return shortened(textAt(event, "content") ?? textAt(event, "text") ?? "") || null;
    default:
      return null;
  }
}

function retryNotice(event: JsonObject): string {
  const status = numberAt(event, "error_status");
  const error = textAt(event, "error") ?? "unknown error";
  const what =
    status === null
      ? `Cannot reach the API (${error})`
      : `The API answered ${String(status)} (${error})`;
  const seconds = Math.max(1, Math.round((numberAt(event, "retry_delay_ms") ?? 0) / 1000));
  const attempt = `attempt ${String(numberAt(event, "attempt") ?? "?")} of ${String(numberAt(event, "max_retries") ?? "?")}`;
  return `${what}. claude retries in ${String(seconds)} s (${attempt}).`;
}

function limitNotice(event: JsonObject): string | null {
  const info = objectAt(event, "rate_limit_info");
  if (textAt(info, "status") !== "allowed_warning") return null;
  const name = (textAt(info, "rateLimitType") ?? "usage").replaceAll("_", "-");
  const used = numberAt(info, "utilization");
  const share = used === null ? "near" : `${String(Math.round(used * 100))} % used`;
  const resetsAt = numberAt(info, "resetsAt");
  const until = resetsAt === null ? "" : ` and resets at ${isoMinute(resetsAt * 1000)}`;
  return `The ${name} limit is ${share}${until}.`;
}

function fallbackNotice(event: JsonObject): string {
  const from = textAt(event, "original_model") ?? textAt(event, "from_model");
  const to = textAt(event, "fallback_model") ?? textAt(event, "to_model");
  return `The client switched to ${to ?? "its fallback model"}${from === null ? "" : ` from ${from}`}.`;
}

/** `2026-11-21 10:30 UTC` */
function isoMinute(ms: number): string {
  const date = new Date(ms);
  if (Number.isNaN(date.getTime())) return "an unknown time";
  return `${date.toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
