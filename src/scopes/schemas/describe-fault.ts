import type { ErrorObject } from "ajv";
import { excerpt } from "../../language/protocol/scan/excerpt.ts";
import { listed, quoted } from "../../language/workflow/quote.ts";

/** A fault of a value as the end of a sentence: `/items/0 must have the key "path"`. */
export function describeFault({ instancePath, keyword, params, message }: ErrorObject): string {
  const place = instancePath === "" ? "the value" : excerpt(instancePath, LONGEST_PLACE);
  return `${place} ${ruleOf(keyword, params) ?? excerpt(message ?? `fails ${keyword}`, LONGEST)}`;
}

const LONGEST_PLACE = 80;
const LONGEST = 120;

/** What the schema expects, for keywords whose message does not name it. */
function ruleOf(keyword: string, params: ErrorObject["params"]): string | null {
  const text = (name: string) => quoted(String(params[name]));
  switch (keyword) {
    case "required":
      return `must have the key ${text("missingProperty")}`;
    case "additionalProperties":
      return `must not have the key ${text("additionalProperty")}`;
    case "unevaluatedProperties":
      return `must not have the key ${text("unevaluatedProperty")}`;
    case "const":
      return `must be ${json(params["allowedValue"])}`;
    case "enum":
      return `must be one of ${listed((params["allowedValues"] as readonly unknown[]).map(json))}`;
    default:
      return null;
  }
}

function json(value: unknown): string {
  return excerpt(JSON.stringify(value));
}
