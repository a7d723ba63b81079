import type { JsonObject } from "../../../language/basics/json-object.ts";
import { clause } from "../../common/ending.ts";
import { numberAt, textAt } from "../../common/json-fields.ts";

/** The notice for the user in an event; null for most of them. */
export function noticeOf(event: JsonObject): string | null {
  switch (textAt(event, "type") ?? "") {
    case "auto_retry_start":
    case "summarization_retry_scheduled":
      return retryNotice(event);
    case "compaction_start":
      return "Compacting the conversation.";
    case "compaction_end":
      return compactionNotice(event);
    default:
      return null;
  }
}

function retryNotice(event: JsonObject): string {
  const error = clause(textAt(event, "errorMessage") ?? "unknown error");
  const seconds = Math.max(1, Math.round((numberAt(event, "delayMs") ?? 0) / 1000));
  const attempt = `attempt ${String(numberAt(event, "attempt") ?? "?")} of ${String(numberAt(event, "maxAttempts") ?? "?")}`;
  return `The request failed (${error}). pi retries in ${String(seconds)} s (${attempt}).`;
}

function compactionNotice(event: JsonObject): string {
  const error = textAt(event, "errorMessage");
  if (error !== null) return `Cannot compact the conversation: ${clause(error)}.`;
  return "Compacted the conversation: its older messages are now a summary.";
}
