import type { RunSettings } from "../machine/run-state.ts";

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
  /** Settles during the first steps: a warning, or null. Never rejects. */
  readonly later: Promise<string | null>;
  /** Ends checks in progress before the run ends. Never rejects. */
  readonly end: () => Promise<void>;
}

/** Nothing is needed, and nothing is wrong. */
export const NOTHING_NEEDED: Checked = {
  client: null,
  warnings: [],
  later: Promise.resolve(null),
  end: () => Promise.resolve(),
};
