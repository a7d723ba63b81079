import type { Sums } from "../core/machine/sums.ts";
import type { StateDocument, SumsDocument } from "./schema.ts";
import { decodeTokens, encodeTokens } from "./token-codec.ts";
import { parseSeconds, parseUsd, printSeconds, printUsd } from "./units.ts";

/** Sums without their cost, which the run has elsewhere. */
export function encodeTotals(sums: Sums): StateDocument["totals"] {
  return {
    attempts: sums.attempts,
    estimated_usd: printUsd(sums.estimatedMicroUsd),
    tokens: encodeTokens(sums.tokens),
    duration_s: printSeconds(sums.durationMs),
  };
}

/** Sums as the state file has them. */
export function encodeSums(sums: Sums): SumsDocument {
  const { attempts, ...rest } = encodeTotals(sums);
  return { attempts, cost_usd: printUsd(sums.costMicroUsd), ...rest };
}

/** The sums that {@link encodeSums} was given. */
export function decodeSums(json: SumsDocument): Sums {
  return {
    attempts: json.attempts,
    costMicroUsd: parseUsd(json.cost_usd),
    estimatedMicroUsd: parseUsd(json.estimated_usd),
    tokens: decodeTokens(json.tokens),
    durationMs: parseSeconds(json.duration_s),
  };
}
