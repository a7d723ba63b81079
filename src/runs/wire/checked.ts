import type { RunSettings } from "../../core/machine/run-state.ts";

/** What is about to run. */
export interface Upcoming {
  readonly settings: RunSettings;
  /** The workflow has prompt states. */
  readonly prompts: boolean;
  /** One of them comes first: then they must be answered now. */
  readonly promptFirst: boolean;
}

/** What the checks before the first state have found. */
export interface Checked {
  /** Absolute path of the client; null where no prompt needs one. */
  readonly client: string | null;
  readonly warnings: readonly string[];
  /** Settles beside the first steps: a warning, or null. Never rejects. */
  readonly later: Promise<string | null>;
  /** Ends what still looks: it shall not outlive the run. Never rejects. */
  readonly end: () => Promise<void>;
}

/** Nothing is needed, and nothing is wrong. */
export const NOTHING_NEEDED: Checked = {
  client: null,
  warnings: [],
  later: Promise.resolve(null),
  end: () => Promise.resolve(),
};
