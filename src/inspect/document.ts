import type { RunState } from "../machine/run-state.ts";
import type { Totals } from "../machine/spend/totals.ts";
import {
  encodeRun,
  encodeSums,
  type StateDocument,
  type SumsDocument,
} from "../storage/codec/state-document.ts";

export type { StateDocument, SumsDocument };

/** A run in the words of its state file (docs/state-file.md). */
export function runDocument(run: RunState): StateDocument {
  return encodeRun(run);
}

/** Sums in the words of the state file. */
export function sumsDocument(sums: Totals): SumsDocument {
  return encodeSums(sums);
}
