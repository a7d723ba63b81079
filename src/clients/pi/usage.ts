import type { JsonObject } from "../../language/basics/json-object.ts";
import type { Tokens } from "../../machine/model/spend.ts";
import { numberAt, objectAt, objectsAt, readCount, textAt } from "../common/json-fields.ts";

/** Maximum plausible cost of one answer, dollars. */
const MAX_USD = 1e6;

/** The tokens of a `usage`. */
export function readTokens(usage: JsonObject): Tokens {
  return {
    input: readCount(usage, "input", 0),
    output: readCount(usage, "output", 0),
    cacheRead: readCount(usage, "cacheRead", 0),
    cacheWrite: readCount(usage, "cacheWrite", 0),
  };
}

/** The cost of a `usage`, micro-dollars (fractional); null: pi has no price for the model. */
export function readCost(usage: JsonObject): number | null {
  const usd = numberAt(objectAt(usage, "cost"), "total");
  return usd === null || usd <= 0 || usd > MAX_USD ? null : usd * 1e6;
}

/** `PROVIDER/MODEL`, as for `--model`; null if unknown. */
export function modelOf(message: JsonObject): string | null {
  const [provider, model] = [textAt(message, "provider"), textAt(message, "model")];
  if (model === null) return null;
  return provider === null ? model : `${provider}/${model}`;
}

/** The text of a message, without thoughts and tool calls. */
export function textOf(message: JsonObject): string {
  const content = textAt(message, "content");
  if (content !== null) return content;
  return objectsAt(message, "content")
    .filter((block) => textAt(block, "type") === "text")
    .map((block) => textAt(block, "text") ?? "")
    .join("");
}

/** Characters of a message that are paid for: text, thoughts and tool calls. */
export function lengthOf(message: JsonObject): number {
  const content = textAt(message, "content");
  if (content !== null) return content.length;
  return objectsAt(message, "content").reduce((sum, block) => {
    const texts = [textAt(block, "text"), textAt(block, "thinking")];
    const call =
      textAt(block, "type") === "toolCall" ? JSON.stringify(block["arguments"] ?? {}) : "";
    return sum + texts.reduce((length, text) => length + (text?.length ?? 0), call.length);
  }, 0);
}
