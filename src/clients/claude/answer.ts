import type { JsonObject } from "../../language/basics/json-object.ts";
import { type ModelUse, NO_TOKENS, type Tokens } from "../../machine/model/spend.ts";
import { CHARS_PER_TOKEN } from "../common/asked.ts";
import { objectAt, textAt } from "../common/json-fields.ts";
import { listCost, modelName } from "./list-price.ts";
import { readUsage } from "./output/usage.ts";

/** One answer of a model, as received so far. */
export interface Answer {
  readonly model: string | null;
  readonly main: boolean;
  /** Received in parts, and not only as a whole. */
  readonly streamed: boolean;
  readonly usage: JsonObject;
  readonly tokens: Tokens;
  /** Characters of text without a token figure yet. */
  readonly chars: number;
  readonly open: boolean;
}

export const NO_ANSWER: Answer = {
  model: null,
  main: true,
  streamed: true,
  usage: {},
  tokens: NO_TOKENS,
  chars: 0,
  open: true,
};

/** A later `usage` of a message replaces an earlier one, if it is plausible. */
export function mergeUsage(before: Answer, usage: JsonObject): Pick<Answer, "usage" | "tokens"> {
  const tokens = readUsage(usage, before.tokens);
  return { usage: { ...before.usage, ...usage, ...usageOf(tokens) }, tokens };
}

function usageOf(tokens: Tokens): JsonObject {
  return {
    input_tokens: tokens.input,
    output_tokens: tokens.output,
    cache_read_input_tokens: tokens.cacheRead,
    cache_creation_input_tokens: tokens.cacheWrite,
  };
}

export function useOf({ model, tokens, usage, chars }: Answer, guess: boolean): ModelUse {
  const output = guess
    ? Math.max(tokens.output, Math.ceil(chars / CHARS_PER_TOKEN))
    : tokens.output;
  const counted = { ...tokens, output };
  return {
    model: model === null ? null : modelName(model),
    tokens: counted,
    ...listCost(model, { ...usage, ...usageOf(counted) }),
    costMicroUsd: null,
  };
}

/** Characters of a part or a block of a message. */
export function textLength(of: JsonObject): number {
  const text = textAt(of, "text") ?? textAt(of, "thinking") ?? textAt(of, "partial_json");
  return text?.length ?? JSON.stringify(objectAt(of, "input")).length - 2;
}
