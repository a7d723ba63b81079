import type { JsonObject } from "../../../language/basics/json-object.ts";
import type { Tokens } from "../../../machine/model/spend.ts";
import { readCount } from "../../common/json-fields.ts";

/** A `usage` of the API. Missing figures are those of `before`. */
export function readUsage(usage: JsonObject, before: Tokens): Tokens {
  return {
    input: readCount(usage, "input_tokens", before.input),
    output: readCount(usage, "output_tokens", before.output),
    cacheRead: readCount(usage, "cache_read_input_tokens", before.cacheRead),
    cacheWrite: readCount(usage, "cache_creation_input_tokens", before.cacheWrite),
  };
}
