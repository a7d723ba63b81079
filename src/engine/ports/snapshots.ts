import type { Step } from "../../machine/decide/step.ts";
import type { StepChanges } from "../../machine/model/step-changes.ts";

/** Snapshots of the files that steps work on. No method rejects: without a snapshot, a step continues. */
export interface Snapshots {
  /** Makes a snapshot before a step attempt; null if the attempt gets none. */
  begin(step: Step, messages: SnapshotMessages): Promise<StepSnapshot | null>;
}

/** Receives sentences for the user. */
export interface SnapshotMessages {
  /** `minor`: only for `--verbose`. */
  notice(text: string, how?: { readonly minor: boolean }): void;
  warning(message: string): void;
}

export interface StepSnapshot {
  /** Makes the snapshot after the attempt; null if that failed. */
  end(): Promise<StepChanges | null>;
}
