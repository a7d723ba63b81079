import type { RunState } from "../../core/machine/run-state.ts";
import type { Sums } from "../../core/machine/sums.ts";
import {
  encodeRun,
  encodeSums,
  type StateDocument,
  type SumsDocument,
} from "../../stores/state-document.ts";

export type { StateDocument, SumsDocument };

/** A run in the words of its state file (docs/state-file.md). */
export function runDocument(run: RunState): StateDocument {
  return encodeRun(run);
}

/** Sums in the words of the state file. */
export function sumsDocument(sums: Sums): SumsDocument {
  return encodeSums(sums);
}
