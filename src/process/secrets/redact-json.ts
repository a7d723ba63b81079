import { parseBoundedJson } from "../../language/basics/json-object.ts";

/** Keys whose values the client sets. Without them its output would not be understood. */
const STRUCTURE: ReadonlySet<string> = new Set([
  ...["type", "subtype", "role", "model", "stop_reason", "terminal_reason", "status"],
  ...["id", "uuid", "session_id", "request_id", "tool_use_id", "parent_tool_use_id"],
]);

/** Applies `clean` to the texts and keys of a JSON document; to the whole text if it is no JSON. */
export function redactJson(line: string, clean: (text: string) => string): string {
  try {
    return JSON.stringify(redactValue(parseBoundedJson(line), clean));
  } catch {
    return clean(line);
  }
}

function redactValue(value: unknown, clean: (text: string) => string): unknown {
  if (typeof value === "string") return clean(value);
  if (typeof value === "number") {
    // A count or a cost may contain a value by chance.
    const redacted = clean(String(value));
    return /\d/.test(redacted) ? value : redacted;
  }
  if (Array.isArray(value)) return value.map((item) => redactValue(item, clean));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) =>
      STRUCTURE.has(key) && typeof item === "string"
        ? [key, item]
        : [clean(key), redactValue(item, clean)],
    ),
  );
}
