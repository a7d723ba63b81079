import type { JsonObject } from "../../core/json-object.ts";
import type { Denial } from "../../core/machine/outcome.ts";
import type { UsageLimit, Verdict } from "./facts.ts";
import { numberAt, objectAt, textAt, valueAt } from "./json.ts";
import { tellingArgument } from "./notices.ts";

/** How a turn ended, by its `result` event. `failed`: the client has named an error before. */
export function readVerdict(event: JsonObject, failed: boolean): Verdict {
  const errors = valueAt(event, "errors");
  return {
    subtype: textAt(event, "subtype") ?? "",
    isError: isError(event, failed),
    text: textAt(event, "result") ?? "",
    errors: Array.isArray(errors) ? errors.filter((error) => typeof error === "string") : [],
    apiStatus: numberAt(event, "api_error_status"),
    terminalReason: textAt(event, "terminal_reason"),
    stopReason: textAt(event, "stop_reason"),
  };
}

/** Without a plain `is_error` the other facts decide: a good answer must not be paid for again. */
function isError(event: JsonObject, failed: boolean): boolean {
  const said = valueAt(event, "is_error");
  if (typeof said === "boolean") return said;
  return (
    failed ||
    textAt(event, "subtype") !== "success" ||
    numberAt(event, "api_error_status") !== null ||
    textAt(event, "terminal_reason") === "api_error"
  );
}

/** Seconds until the year 9999 is over, from 1970. */
const LAST_SECOND = 253_402_300_799;

/** A limit, by the `rate_limit_info` of its event; a reset beyond all calendars is unknown. */
export function readLimit(info: JsonObject): UsageLimit {
  const seconds = numberAt(info, "resetsAt");
  const known = seconds !== null && seconds >= 0 && seconds <= LAST_SECOND;
  return {
    type: textAt(info, "rateLimitType"),
    resetsAt: known ? seconds * 1000 : null,
  };
}

/** One of the `permission_denials` of a `result`. */
export function readDenial(denial: JsonObject): Denial {
  return {
    tool: textAt(denial, "tool_name") ?? "?",
    input: tellingArgument(objectAt(denial, "tool_input")),
  };
}
