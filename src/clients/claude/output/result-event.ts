import type { JsonObject } from "../../../language/basics/json-object.ts";
import type { Denial } from "../../../machine/model/denial.ts";
import {
  LAST_SECOND,
  numberAt,
  objectAt,
  objectsAt,
  textAt,
  valueAt,
} from "../../common/json-fields.ts";
import { mainArgument } from "../../common/output/main-argument.ts";
import type { UsageLimit, Verdict } from "../facts.ts";
import { exactArgument } from "../grants.ts";

/** The end of a turn, by its `result` event. `failed`: the client has reported an error before. */
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

/** Without a boolean `is_error` other facts decide: a successful answer must not be paid for twice. */
function isError(event: JsonObject, failed: boolean): boolean {
  const flag = valueAt(event, "is_error");
  if (typeof flag === "boolean") return flag;
  return (
    failed ||
    textAt(event, "subtype") !== "success" ||
    numberAt(event, "api_error_status") !== null ||
    textAt(event, "terminal_reason") === "api_error"
  );
}

/** A limit, by the `rate_limit_info` of its event. A reset out of range is unknown. */
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
  return denialOf(textAt(denial, "tool_name") ?? "?", objectAt(denial, "tool_input"));
}

export function denialOf(tool: string, input: JsonObject): Denial {
  const exact = exactArgument(tool, input);
  return { tool, input: mainArgument(input), ...(exact !== undefined && { exact }) };
}

/** Why a hook stopped the turn, without the prompt. 2.1.197 has only the text. */
export function hookReason(event: JsonObject): string {
  const reason = textAt(objectAt(event, "prompt_submit_outcome"), "reason");
  return reason ?? (textAt(event, "content") ?? "").replace(/\n\s*Original prompt:.*/s, "").trim();
}

/** The MCP servers in an `init` event that the model cannot use, with their status. */
export function missingServers(init: JsonObject): readonly string[] {
  return objectsAt(init, "mcp_servers").flatMap((server) => {
    const status = textAt(server, "status") ?? "";
    if (status !== "failed" && status !== "needs-auth") return [];
    return [`"${textAt(server, "name") ?? "?"}" (${status})`];
  });
}
